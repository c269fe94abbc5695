import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import { keysOf, secretProblem } from '../../src/billing/ingest/rules.ts'
import { createVerifier } from '../../src/billing/ingest/verify.ts'

const key = randomBytes(32)
const verify = createVerifier([key])
const seconds = 1_700_000_000
const body = Buffer.from('{}')

const headersAt = (time: string) => ({
  'webhook-id': 'id',
  'webhook-timestamp': time,
  'webhook-signature': `v1,${createHmac('sha256', key).update(`id.${time}.{}`).digest('base64')}`,
})

describe('the tolerance of a signature, to the second', () => {
  const at = (offset: number, tolerance = 300, ms = 0) =>
    verify(headersAt(String(seconds + offset)), body, new Date(seconds * 1000 + ms), tolerance)

  test('a webhook signature is accepted 300 seconds before and after its time, and refused at 301', () => {
    expect(at(-300)).toEqual({ webhookId: 'id', timestamp: seconds - 300 })
    expect(at(-300, 300, 999)).toMatchObject({ timestamp: seconds - 300 })
    expect(at(300).timestamp).toBe(seconds + 300)
    expect(() => at(-301)).toThrow('Message timestamp too old')
    expect(() => at(301)).toThrow('Message timestamp too new')
  })

  test('the tolerance of a signature is configurable', () => {
    expect(at(-10, 10).timestamp).toBe(seconds - 10)
    expect(() => at(-11, 10)).toThrow('Message timestamp too old')
    expect(() => at(11, 10)).toThrow('Message timestamp too new')
  })
})

test('the verifier accepts and rejects the same signatures as the package standardwebhooks', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => value.isWellFormed())
  const id = fc.stringMatching(/^[!-~]{1,40}$/)
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), id, text, fc.boolean(), (bytes, id, text, isForged) => {
      const webhook = new Webhook(bytes, { format: 'raw' })
      const [now, payload] = [new Date(), Buffer.from(text)]
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, now, isForged ? `${text} ` : payload),
      }
      const verdictOf = (work: () => unknown) => {
        try {
          return void work()
        } catch (error) {
          return (error as Error).message
        }
      }
      const theirs = verdictOf(() => webhook.verify(payload, headers, { jsonParse: false }))
      expect(verdictOf(() => createVerifier([bytes])(headers, payload, now, 300))).toBe(theirs)
      expect(theirs).toBe(isForged ? 'No matching signature found' : undefined)
    }),
  )
})

test('the verifier finds a signature in any of several headers like the package standardwebhooks, and no signature of another form or version', () => {
  const now = new Date()
  const headers = headersAt(String(Math.floor(now.getTime() / 1000)))
  const good = headers['webhook-signature']
  const other = `v1,${Buffer.alloc(32).toString('base64')}`
  const isTaken = (signature: string) => {
    const given = { ...headers, 'webhook-signature': signature }
    const verdicts = [
      () => verify(given, body, now, 300),
      () => new Webhook(key, { format: 'raw' }).verify(body, given, { jsonParse: false }),
    ].map((check) => {
      try {
        check()
        return true
      } catch {
        return false
      }
    })
    expect(verdicts[0], signature).toBe(verdicts[1])
    return verdicts[0]
  }
  // Node joins a repeated header with a comma and a space.
  for (const list of [`${good}, ${other}`, `${other}, ${good}`, `${other} ${good}`]) expect(isTaken(list)).toBe(true)
  const hash = good.slice(3)
  const sameBits = `${hash.slice(0, 42)}${String.fromCharCode(hash.charCodeAt(42) + 1)}=`
  for (const form of [`v1a,${hash}`, `v2,${hash}`, `V1,${hash}`, hash, `v1,${hash.slice(0, -1)}`, `v1,${sameBits}`, 'v1,', ' '])
    expect(isTaken(form)).toBe(false)
})

test("a signed body of a megabyte is hashed by Node's native code alone", () => {
  const sign = vi.spyOn(Webhook.prototype, 'sign')
  const large = Buffer.alloc(1_048_576, 'x')
  const signature = createHmac('sha256', key).update(`id.${seconds}.`).update(large).digest('base64')
  const headers = { ...headersAt(String(seconds)), 'webhook-signature': `v1,${signature}` }
  expect(verify(headers, large, new Date(seconds * 1000), 300)).toEqual({ webhookId: 'id', timestamp: seconds })
  expect(sign).not.toHaveBeenCalled()
  sign.mockRestore()
})

describe('signing secrets', () => {
  test('a signing secret is used as the bytes of its text, and decoded as base64 if that gives a complete key', () => {
    const standard = `whsec_${key.toString('base64')}`
    expect(keysOf(standard)).toEqual([key, Buffer.from(standard)])
    expect(keysOf(key.toString('base64'))).toHaveLength(2)
    // Not base64, or base64 of too short a key: only the text is used.
    for (const text of ['polar_whs_ovyN6cPrTv56AApvzCaJno08SSmGJmgbWilb33N2JuK', 'correct horse battery staple, 1!'])
      expect(keysOf(text)).toEqual([Buffer.from(text)])
    expect(keysOf('abcdefghijklmnopqrstuvwxyz01')).toEqual([Buffer.from('abcdefghijklmnopqrstuvwxyz01')])
  })

  test.each([
    ['', "Secret can't be empty."],
    ['whsec_', "Secret can't be empty."],
    ['short', 'Secret too short: it has 5 bytes and needs at least 24'],
    [`whsec_${'x'.repeat(23)}`, 'Secret too short: it has 23 bytes and needs at least 24'],
    [`whsec_${Buffer.alloc(23, 1).toString('base64')}`, 'Secret too short: it has 23 bytes and needs at least 24'],
  ])('the signing secret %j is refused', (secret, message) => {
    expect(secretProblem(secret)?.message).toBe(message)
  })

  test.each(['x'.repeat(24), `whsec_${Buffer.alloc(25, 1).toString('base64')}`, 'ü'.repeat(12)])(
    'the signing secret %j is accepted',
    (secret) => {
      expect(secretProblem(secret)).toBeUndefined()
    },
  )
})
