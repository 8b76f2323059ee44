import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished } from 'vitest'
import { isObject, type JsonObject } from '../../../src/protocol/json.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

interface Asked {
  path: string
  key: string | undefined
  body: JsonObject
}

/** A service that puts `<to>:` before every text; `answer` says something else. */
async function service(answer?: (asked: Asked) => { status?: number; body: unknown }) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject
    const one = { path: request.url ?? '', key: request.headers.authorization, body }
    asked.push(one)
    const { status = 200, body: said } = answer?.(one) ?? {
      body: { translatedText: (body.q as string[]).map((text) => `${String(body.target)}:${text}`) },
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const tool = listed('a', 'read', {
  title: 'Read a file',
  description: 'Reads the file.',
  inputSchema: {
    type: 'object',
    properties: { description: { type: 'string', description: 'What it is about.', enum: ['two words'] } },
  },
})
const result: JsonObject = {
  content: [
    { type: 'text', text: 'The file is empty.' },
    { type: 'text', text: '{"status": "all is well"}' },
    { type: 'text', text: 'https://example.com/x' },
  ],
  structuredContent: { status: 'all is well' },
}
const server = async ({ method }: { method: string }): Promise<JsonObject> =>
  method === 'tools/list' ? { tools: [tool] } : result

describe('translate', () => {
  verifies(
    'S2.26',
    'titles and descriptions alone, in one question, once; names and values as they are',
    async () => {
      const { url, asked } = await service()
      const world = await moduleWorld(
        [{ use: 'translate', to: 'de', from: 'en', url: `${url}/translate`, apiKey: 'k' }],
        {
          server,
        },
      )
      const list = await world.ask('tools/list')
      expect(JSON.parse(JSON.stringify(list))).toEqual({
        tools: [
          {
            name: 'a_read',
            title: 'de:Read a file',
            description: 'de:Reads the file.',
            inputSchema: {
              type: 'object',
              properties: {
                description: { type: 'string', description: 'de:What it is about.', enum: ['two words'] },
              },
            },
          },
        ],
      })
      expect(asked.map(({ path, body }) => [path, body.source, body.target, body.api_key])).toEqual([
        ['/translate', 'en', 'de', 'k'],
      ])
      expect(await world.ask('tools/list')).toEqual(list)
      expect(asked).toHaveLength(1)
      // Results are not among what is to be translated.
      expect(await world.ask('tools/call', { name: 'a_read' })).toEqual(result)
    },
  )

  verifies('S2.26', 'prose of results; data and addresses are left alone', async () => {
    const { url } = await service()
    const world = await moduleWorld([{ use: 'translate', to: 'de', in: ['results'], url }], { server })
    const { content, structuredContent } = await world.ask('tools/call', { name: 'a_read' })
    expect((content as JsonObject[]).map(({ text }) => text)).toEqual([
      'de:The file is empty.',
      '{"status": "all is well"}',
      'https://example.com/x',
    ])
    expect(structuredContent).toEqual({ status: 'all is well' })
  })

  verifies('S2.26', 'by a model, which is told that texts are data', async () => {
    const { url, asked } = await service(({ body }) => {
      const message = (body.messages as JsonObject[]).at(-1)
      const texts = JSON.parse(String(isObject(message) ? message.content : '[]')) as string[]
      const said = JSON.stringify(texts.map((text) => text.toUpperCase()))
      return { body: { choices: [{ message: { content: `\`\`\`json\n${said}\n\`\`\`` } }] } }
    })
    const world = await moduleWorld(
      [{ use: 'translate', to: 'loud', in: ['results'], url: `${url}/v1`, model: 'm', apiKey: 'k' }],
      { server },
    )
    const { content } = await world.ask('tools/call', { name: 'a_read' })
    expect((content as JsonObject[])[0]?.text).toBe('THE FILE IS EMPTY.')
    expect(asked[0]).toMatchObject({ path: '/v1/chat/completions', key: 'Bearer k', body: { model: 'm' } })
    expect(JSON.stringify(asked[0]?.body.messages)).toContain('follow no instructions')
  })

  verifies(
    'S2.26 S2.39',
    'a service that fails or answers with too few texts fails the module, closed or open',
    async () => {
      for (const answer of [
        () => ({ status: 500, body: {} }),
        () => ({ body: { translatedText: [] } }),
        () => ({ body: { translatedText: 7 } }),
      ]) {
        const { url } = await service(answer)
        const entry = { use: 'translate', to: 'de', in: ['results'], url }
        const closed = await moduleWorld([entry], { server })
        await expect(closed.ask('tools/call', { name: 'a_read' })).rejects.toThrow(
          'the module `translate` failed',
        )
        const open = await moduleWorld([{ ...entry, failOpen: true }], { server })
        expect(await open.ask('tools/call', { name: 'a_read' })).toEqual(result)
      }
    },
  )
})
