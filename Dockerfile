# syntax=docker/dockerfile:1
FROM node:24-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Optional packages, such as @redis/client for a shared store.
ARG PACKAGES=""
# The package of the stage itself has no version to pin.
# hadolint ignore=DL3016
RUN npm pack --pack-destination /tmp && npm install --prefix /app --no-audit --no-fund /tmp/mcp-rlm-proxy-*.tgz $PACKAGES

FROM node:24-slim
ENV NODE_ENV=production \
    MCPPROXY_TRANSPORT=streamable-http \
    MCPPROXY_HOST=0.0.0.0 \
    MCPPROXY_PORT=8000 \
    MCPPROXY_DATA_DIR=/data
COPY --from=build /app /app
RUN mkdir /data && chown node:node /data
WORKDIR /app
# The user `node`, by its number: Kubernetes checks that it is not root.
USER 1000
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8000/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "node_modules/mcp-rlm-proxy/dist/main.js"]
