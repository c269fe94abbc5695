import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'

/** Changes that proxies make to requests and answers: other ETags of compressed answers, lists of ETags, and invalid hosts. */
let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const get = (path: string, headers: Record<string, string>) => fetch(`${t.url}${path}`, { redirect: 'manual', headers })

/** One answer of each part that compares ETags: a page, a file made at the first request, a document of the provider. */
const tagged = ['/openapi.json', '/.well-known/openid-configuration', '/jwks']

test.each(tagged)(
  '%s is not sent again to a client with its ETag, in each form that caches and compressing proxies send',
  async (path) => {
    const tag = (await get(path, { 'accept-encoding': 'identity' })).headers.get('etag') ?? ''
    const opaque = tag.replace(/^W\//, '')
    const coded = (coding: string) => opaque.replace(/"$/, `-${coding}"`)
    for (const sent of [
      tag,
      opaque,
      `W/${opaque}`,
      `"a", W/"b" ,${opaque}`,
      '*',
      coded('gzip'),
      coded('br'),
      `W/${coded('zstd')}`,
    ]) {
      const again = await get(path, { 'if-none-match': sent })
      expect([again.status, await again.text(), again.headers.get('etag')], sent).toEqual([304, '', tag])
    }
    for (const sent of ['"a"', '', 'W/', opaque.slice(1, -1), `"${opaque.slice(1, -3)}"`, coded('other')])
      expect((await get(path, { 'if-none-match': sent })).status, sent).toBe(200)
  },
)

test('the ETag of content with several encodings is weak, because the bytes differ', async () => {
  for (const coding of ['br', 'gzip', 'identity']) {
    const { headers } = await get('/openapi.json', { 'accept-encoding': coding })
    expect([headers.get('etag'), headers.get('vary')], coding).toEqual([
      expect.stringMatching(/^W\/"[0-9a-f]{32}"$/),
      'Accept-Encoding',
    ])
  }
})

test.each([
  ['gzip', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['identity, gzip ; q=1.000', 'gzip'],
  ['gzip;q=0', null],
  ['gzip; Q=0.000', null],
  ['gzip ;q=0, identity', null],
  ['x-not-gzip, notgzip', null],
  ['identity', null],
  ['', null],
])('a client that accepts "%s" gets the encoding %s', async (accepted, coding) => {
  expect((await get('/openapi.json', { 'accept-encoding': accepted })).headers.get('content-encoding')).toBe(coding)
})

/** The status of an answer to a request with this Host header, which `fetch` would not send. */
const statusFor = (port: string, host: string) =>
  new Promise<number>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`GET /ok HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    )
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('close', () => resolve(Number(answer.slice(9, 12))))
  })

test('a Host header is compared as a host: case and default port are ignored, and an invalid host does not match', async () => {
  const strict = await t.node({ url: 'https://id.example', http: { strictHost: 'on' } })
  const { port } = new URL(strict.url)
  for (const host of ['id.example', 'ID.Example', 'id.example:443', 'id.example:', ' id.example '])
    expect(await statusFor(port, host), host).toBe(200)
  for (const host of [
    'id.example:80',
    'id.example.',
    'id.example, id.example',
    'ann@id.example',
    'id.example/',
    'id.example/path',
    'id.example?a',
    'id.example#a',
    'id.example\\a',
    'id%2Eexample',
    'id\t.example',
    '',
  ])
    expect(await statusFor(port, host), host).toBe(421)
  await strict.stop()
})
