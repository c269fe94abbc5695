import { randomBytes, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import { bodyOf, now, secret, send, signature, standardKey } from './sender.ts'

const older = 'polar_whs_ovyN6cPrTv56AApvzCaJno08SSmGJmgbWilb33N2JuK'
let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { billing: { secrets: [secret, older] }, limits: { enabled: 'on' } } })
  t.clock.hold()
})
afterAll(() => t.stop())

const body = bodyOf('customer.created')
const stored = async () => (await t.app.billing.deliveries.newest({}, 1000)).length
const refusal = (code: string, message: string, status = 403) => ({ status, json: { code, message } })

const noSignature = refusal('NO_MATCHING_SIGNATURE_FOUND', 'No matching signature found')
const missing = refusal('MISSING_REQUIRED_HEADERS', 'Missing required headers')
const invalid = refusal('INVALID_SIGNATURE_HEADERS', 'Invalid Signature Headers')
const tooOld = refusal('MESSAGE_TIMESTAMP_TOO_OLD', 'Message timestamp too old')
const tooNew = refusal('MESSAGE_TIMESTAMP_TOO_NEW', 'Message timestamp too new')

/** Expects a delivery to be answered with this code and not stored. */
const refused = async (sent: Promise<unknown>, expected: object) => {
  const before = await stored()
  expect(await sent).toMatchObject(expected)
  expect(await stored()).toBe(before)
}

describe('rejected deliveries', () => {
  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'a delivery without %s, or with an empty one, is rejected',
    async (name) => {
      await refused(send(t.url, body, { headers: { [name]: undefined } }), missing)
      await refused(send(t.url, body, { headers: { [name]: '' } }), missing)
    },
  )

  test.each([
    'junk',
    '',
    ' ',
    '1700000000junk',
    '0x6553f100',
    '1e9',
    '-1',
    '+1700000000',
    '1700000000.5',
    'NaN',
    'Infinity',
    '1700000000, 1700000000',
    '01700000000',
  ])('a delivery is rejected when its time is not a whole number of seconds: %j', async (time) => {
    await refused(send(t.url, body, { time, headers: { 'webhook-timestamp': time } }), time.trim() === '' ? missing : invalid)
  })

  test('a delivery signed more than 300 seconds ago or ahead is rejected, and a delivery of exactly 300 seconds is accepted', async () => {
    await refused(send(t.url, body, { time: now() - 301 }), tooOld)
    await refused(send(t.url, body, { time: now() + 301 }), tooNew)
    await refused(send(t.url, body, { time: '99999999999999999999' }), tooNew)
    await refused(send(t.url, body, { time: 0 }), tooOld)
    expect((await send(t.url, body, { time: now() - 300 })).status).toBe(202)
    expect((await send(t.url, body, { time: now() + 300 })).status).toBe(202)
  })

  test('a valid delivery that is sent again after the time tolerance is rejected', async () => {
    const again = { id: randomUUID(), time: now() }
    expect((await send(t.url, body, again)).status).toBe(202)
    t.clock.advance({ seconds: 302 })
    await refused(send(t.url, body, again), tooOld)
  })

  test('a delivery is rejected if its signature is by another secret, or its body is changed, cut, lengthened or reserialized', async () => {
    await refused(send(t.url, body, { secret: `${secret.slice(0, -1)}x` }), noSignature)
    await refused(send(t.url, body, { tampered: body.replace('customer@example.com', 'customer@example.con') }), noSignature)
    await refused(send(t.url, body, { tampered: body.slice(0, -1) }), noSignature)
    await refused(send(t.url, body, { tampered: `${body} ` }), noSignature)
    await refused(send(t.url, body, { tampered: JSON.stringify(JSON.parse(body), null, 1) }), noSignature)
    await refused(send(t.url, body, { tampered: '' }), noSignature)
  })

  test('a delivery with the signature of another id or time is rejected', async () => {
    const time = String(now())
    const made = signature(Buffer.from(secret), 'one', time, body)
    await refused(
      send(t.url, body, { headers: { 'webhook-id': 'two', 'webhook-timestamp': time, 'webhook-signature': made } }),
      noSignature,
    )
    const later = String(now() + 1)
    await refused(
      send(t.url, body, { headers: { 'webhook-id': 'one', 'webhook-timestamp': later, 'webhook-signature': made } }),
      noSignature,
    )
    // Moving a dot between the parts leaves the signed text as it was.
    const moved = { 'webhook-id': `one.${time}`, 'webhook-timestamp': time, 'webhook-signature': made }
    await refused(send(t.url, body, { headers: moved }), noSignature)
  })

  test('a delivery whose signatures are not of version v1, or incomplete, is rejected', async () => {
    const id = randomUUID()
    const time = String(now())
    const made = signature(Buffer.from(secret), id, time, body)
    const value = made.slice(3)
    const entries = [
      value,
      `v2,${value}`,
      `v1a,${value}`,
      `V1,${value}`,
      `v1, ${value}`,
      `v1 ${value}`,
      `v1=${value}`,
      `v1,${value.slice(0, -1)}`,
      `v1,${value}=`,
      `v1,${value},v1`,
      `v1,${value},`,
      'v1,',
      'v1',
      ',',
      `v1,${value.toLowerCase()}`,
      `v1,${'A'.repeat(43)}=`,
      `v1,${Buffer.from(value, 'base64').toString('hex')}`,
      `v1,${value.replaceAll('+', '-').replaceAll('/', '_').replace('=', '')}`,
    ]
    for (const entry of entries)
      await refused(send(t.url, body, { id, time, headers: { 'webhook-signature': entry } }), noSignature)
    // With a comma at the end the entry would be valid, as in a header sent twice.
    const together = entries.filter((entry) => entry !== `v1,${value},`).join(' ')
    await refused(send(t.url, body, { id, time, headers: { 'webhook-signature': together } }), noSignature)
  })

  test('a delivery with a repeated id or time header is rejected', async () => {
    const id = randomUUID()
    const time = String(now())
    await refused(send(t.url, body, { id, time, headers: { 'webhook-id': [id, id] } }), noSignature)
    await refused(send(t.url, body, { id, time, headers: { 'webhook-timestamp': [time, time] } }), invalid)
  })

  test('a delivery to an unknown endpoint is rejected', async () => {
    for (const name of ['other', 'Polar', 'polar%20', '__proto__', 'constructor'])
      await refused(send(t.url, body, {}, name), refusal('WEBHOOK_ENDPOINT_NOT_FOUND', 'Webhook endpoint not found', 404))
    expect((await t.client().request('/webhooks/polar')).status).toBe(404)
    expect((await send(t.url, body, {}, '')).status).toBe(404)
  })

  test('a delivery with a compressed body or a body above the limit is rejected', async () => {
    await refused(send(t.url, gzipSync(body), { headers: { 'content-encoding': 'gzip' } }), {
      status: 400,
      json: { code: 'UNSUPPORTED_MEDIA_TYPE' },
    })
    await refused(send(t.url, body, { tampered: gzipSync(body) }), noSignature)
    const large = Buffer.from(JSON.stringify({ filler: 'x'.repeat(1_048_576) }))
    await refused(send(t.url, large), refusal('BODY_TOO_LARGE', 'Body too large', 413))
  })

  test('a delivery whose body is not UTF-8 is rejected unless its received bytes are signed', async () => {
    const bytes = Buffer.concat([Buffer.from(body.slice(0, -2)), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    // Signed as text, the two bytes become U+FFFD, and a verifier that reads text would accept them.
    const id = randomUUID()
    const time = String(now())
    const asText = signature(Buffer.from(secret), id, time, bytes.toString())
    await refused(send(t.url, bytes, { id, time, headers: { 'webhook-signature': asText } }), noSignature)
  })
})

describeOnBoth('accepted deliveries', () => {
  test('a delivery is accepted with header names in any case and with several signatures in any order, even in two header lines', async () => {
    const sent = (headers: (made: string) => Record<string, string | readonly string[] | undefined>) => {
      const id = randomUUID()
      const time = String(now())
      return send(t.url, body, { id, time, headers: headers(signature(Buffer.from(secret), id, time, body)) })
    }
    const wrong = `v1,${randomBytes(32).toString('base64')}`
    expect((await sent((made) => ({ 'webhook-signature': undefined, 'Webhook-SIGNATURE': made }))).status).toBe(202)
    expect((await sent((made) => ({ 'webhook-signature': `${wrong} ${made}` }))).status).toBe(202)
    expect((await sent((made) => ({ 'webhook-signature': `v2,x nonsense ,, ${wrong}  ${made} v1a,abc` }))).status).toBe(202)
    expect((await sent((made) => ({ 'webhook-signature': [wrong, made] }))).status).toBe(202)
  })

  test('a delivery of a megabyte is accepted', async () => {
    const event = JSON.parse(body) as object
    const empty = JSON.stringify({ ...event, filler: '' })
    const large = JSON.stringify({ ...event, filler: 'x'.repeat(1_048_576 - empty.length) })
    expect(Buffer.byteLength(large)).toBe(1_048_576)
    expect((await send(t.url, large)).status).toBe(202)
  })

  test('a delivery is accepted up to billing.maxBodyBytes', async () => {
    const sent = async (maxBodyBytes: number, length: number) => {
      const node = await t.node({ billing: { secrets: [secret], maxBodyBytes } })
      const { status } = await send(node.url, JSON.stringify({ ...JSON.parse(body), filler: 'x'.repeat(length) }))
      await node.stop()
      return status
    }
    expect(await sent(65_536, 70_000)).toBe(413)
    expect(await sent(2_097_152, 1_500_000)).toBe(202)
  })

  test('a delivery with text beyond ASCII is accepted byte for byte', async () => {
    const odd = bodyOf('customer.created', { customerName: 'Ünïcødé 漢字 🎉\u2028 é', email: 'odd@example.com' })
    expect((await send(t.url, odd)).status).toBe(202)
  })

  test('a delivery signed by any of several secrets is accepted', async () => {
    expect((await send(t.url, body, { secret: older })).status).toBe(202)
    expect((await send(t.url, body, { secret })).status).toBe(202)
  })

  testOnBoth('bursts of deliveries are accepted, whatever the rate limits of other calls', async () => {
    const answers = await Promise.all(Array.from({ length: 150 }, () => send(t.url, body)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  })

  test('the answer to an accepted delivery sets no cookie and allows no other origin', async () => {
    const answer = await send(t.url, body, { headers: { origin: 'https://evil.example', cookie: 'gatehouse.session=x' } })
    expect(answer.status).toBe(202)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    const preflight = await t.client().request('/webhooks/polar', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(404)
  })
})

/** Billing events, section 2.1. */
describe('the five kinds of webhook secrets in use', () => {
  const random = randomBytes(32)
  const kinds: readonly (readonly [string, string, readonly ('whole' | 'standard')[]])[] = [
    ['chosen by the merchant', 'correct horse battery staple, 1!', ['whole']],
    ['polar_whs_', 'polar_whs_ovyN6cPrTv56AApvzCaJno08SSmGJmgbWilb33N2JuK', ['whole']],
    ['whsec_ and 43 letters and digits', 'whsec_ovyN6cPrTv56AApvzCaJno08SSmGJmgbWilb33N2JuK', ['whole']],
    ['whsec_ and padded base64', `whsec_${random.toString('base64')}`, ['whole', 'standard']],
    ['32 hexadecimal digits', randomBytes(16).toString('hex'), ['whole']],
  ]

  test.each(kinds)('a delivery signed with a webhook secret of this kind is accepted: %s', async (_kind, text, readings) => {
    const own = await t.node({ billing: { secrets: [text] } })
    try {
      for (const reading of readings) {
        const key = reading === 'whole' ? Buffer.from(text) : standardKey(text)
        expect((await send(own.url, body, { key })).status, reading).toBe(202)
      }
      if (readings.length > 1) {
        // The platform then sends two signatures, the standard one first.
        const id = randomUUID()
        const time = String(now())
        const both = [standardKey(text), Buffer.from(text)].map((key) => signature(key, id, time, body)).join(' ')
        expect((await send(own.url, body, { id, time, headers: { 'webhook-signature': both } })).status).toBe(202)
      }
      expect(await send(own.url, body, { key: Buffer.alloc(0) })).toMatchObject(noSignature)
      expect(await send(own.url, body, { key: Buffer.from('whsec_') })).toMatchObject(noSignature)
      expect(await send(own.url, body)).toMatchObject(noSignature)
    } finally {
      await own.stop()
    }
  })
})
