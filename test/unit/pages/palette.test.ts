import { expect, test } from 'vitest'
import { recognise, timesOf } from '../../../admin-ui/console/palette/recognise.ts'
import { curlOf, shellWord } from '../../../admin-ui/console/shared/curl.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test.each([
  ['  ann@example.com ', 'email'],
  ['192.0.2.7', 'ip'],
  ['2001:db8::1', 'ip'],
  ['7Q2mZk1vXw0bT9nY5sR8uL3cD4eF6gH0', 'id'],
  ['0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04', 'id'],
  ['acme-inc', 'slug'],
  ['/admin/users/u1', 'path'],
  ['Ada', 'words'],
  ['Ada Love', 'words'],
  ['1.2.3', 'words'],
])('the command palette recognizes a text by its form: %s', (text, kind) => {
  expect(recognise(text)?.kind).toBe(kind)
})

test('the command palette recognizes the link of an invitation by its id, and does not pass on the token of the link', () => {
  const id = '7Q2mZk1vXw0bT9nY5sR8uL3cD4eF6gH0'
  for (const rest of ['', '?token=secret', '#x'])
    expect(recognise(`https://id.example.com/base/invitation/${id}${rest}`)).toEqual({ kind: 'invitation', text: id })
  expect(recognise(`https://id.example.com/invitation/${id}/more`)?.kind).toBe('words')
})

test('the command palette recognizes nothing in an empty text', () => {
  expect(recognise('  ')).toBeUndefined()
})

test('the command palette decodes a token, even with the word Bearer before it, and a malformed token is not recognized', () => {
  const token = `${part({ alg: 'none' })}.${part({ sub: 'ü' })}.`
  expect(recognise(`Bearer ${token}`)).toEqual({ kind: 'jwt', header: { alg: 'none' }, payload: { sub: 'ü' } })
  expect(recognise(`${part({ alg: 'none' })}.${part([1])}.x`)?.kind).not.toBe('jwt')
  expect(recognise(`${part({ alg: 'none' })}.***.x`)?.kind).not.toBe('jwt')
})

test('the command palette shows a token whose times are not dates without times', () => {
  const { issuedAt, expiresAt, state } = timesOf({ iat: 1.8e18, exp: -1e300, nbf: 'soon' }, 1_800_000_000_000)
  expect([issuedAt, expiresAt, state]).toEqual([undefined, undefined, 'expired'])
})

test('the command palette shows a token as valid from its start to its expiry', () => {
  const now = 1_800_000_000_000
  expect(timesOf({ exp: 1_800_000_000 }, now).state).toBe('expired')
  expect(timesOf({ exp: 1_800_000_001, iat: 1_799_999_999 }, now)).toEqual({
    issuedAt: '2027-01-15T07:59:59.000Z',
    expiresAt: '2027-01-15T08:00:01.000Z',
    state: 'current',
  })
  expect(timesOf({ nbf: 1_800_000_060 }, now).state).toBe('early')
  expect(timesOf({}, now).state).toBe('endless')
})

test('a call copied for a shell has its path filled in, and the shell executes none of its values', () => {
  const target = { method: 'POST', path: '/admin/users/:id/notes' }
  expect(curlOf(target, { params: { id: 'a b' }, body: { text: "it's $HOME" } }, 'https://id.example')).toBe(
    [
      'curl -s -X POST https://id.example/admin/users/a%20b/notes',
      '-H "Authorization: Bearer $TOKEN"',
      "-H 'Content-Type: application/json'",
      `-d '{"text":"it'\\''s $HOME"}'`,
    ].join(' \\\n  '),
  )
  expect(curlOf({ method: 'GET', path: '/admin/users' }, { query: { search: 'a&b', role: undefined } }, 'http://x')).toContain(
    "'http://x/admin/users?search=a%26b'",
  )
  expect(shellWord('ann@example.com')).toBe('ann@example.com')
  expect(shellWord('$(id)')).toBe("'$(id)'")
})
