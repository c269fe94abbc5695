/** The built files of the pages: held in the form in which nearly all clients read them, and sent in the one that a client asks for. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HttpRequest } from '../../src/http/response.ts'
import { builtPages, createStaticFiles } from '../../src/http/static.ts'
import { etagOf } from '../../src/http/static-file.ts'
import { temporaryDirectory } from '../support/directory.ts'

const script = Buffer.from('export const word = "gatehouse";\n'.repeat(100))
const directory = temporaryDirectory()
mkdirSync(join(directory, 'assets'))
// What the compressed form holds is the file: the other one is not read, so it cannot be kept.
writeFileSync(join(directory, 'assets/page.js'), 'not read')
writeFileSync(join(directory, 'assets/page.js.br'), brotliCompressSync(script))
writeFileSync(join(directory, 'icon.svg'), '<svg/>')

const files = createStaticFiles(builtPages(directory)(), { hasDocs: false })
const server = createServer((req, res) => {
  if (!files.serve(req as HttpRequest, res, String(req.url), '')) res.writeHead(404).end()
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, resolve)))
afterAll(() => server.close())

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ readonly status: number | undefined; readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer }>(
    (resolve, reject) => {
      const { port } = server.address() as AddressInfo
      const call = request({ port, path, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }))
      })
      call.on('error', reject)
      call.end()
    },
  )

test('a file compressed by the build is stored only compressed, and has the same content and ETag in every encoding', async () => {
  const [brotli, gzip, plain] = [
    await get('/assets/page.js', { 'accept-encoding': 'gzip, br' }),
    await get('/assets/page.js', { 'accept-encoding': 'gzip, br;q=0' }),
    await get('/assets/page.js'),
  ]
  expect([brotli, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined])
  for (const content of [brotliDecompressSync(brotli.body), gunzipSync(gzip.body), plain.body]) expect(content).toEqual(script)
  for (const { headers } of [brotli, gzip, plain]) {
    expect(headers).toMatchObject({
      etag: etagOf(script),
      vary: 'Accept-Encoding',
      'content-type': 'text/javascript; charset=utf-8',
    })
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  }
  expect((await get('/assets/page.js', { 'accept-encoding': 'gzip' })).body).toEqual(gzip.body)
})

test('a browser with a compressed file in its cache gets 304 by its ETag, and an uncompressed file is sent as it is', async () => {
  expect(await get('/assets/page.js', { 'if-none-match': etagOf(script) })).toMatchObject({ status: 304, body: Buffer.alloc(0) })
  expect(await get('/icon.svg', { 'accept-encoding': 'br' })).toMatchObject({ status: 200, body: Buffer.from('<svg/>') })
})
