export { fromPipes } from '../../query/dialects/jq.ts'
export { fromPointer } from '../../query/path.ts'
