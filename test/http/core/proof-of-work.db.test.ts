import { afterAll, beforeAll, expect } from 'vitest'
import { createSearch } from '../../../admin-ui/shared/proof-of-work/search.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'

let t: TestApp
let off: TestApp
beforeAll(async () => {
  const proofOfWork = { for: ['sign-up', 'reset'], difficulty: 4 }
  t = await testApp({ config: { limits: { proofOfWork, enabled: 'off' }, trustedOrigins: ['https://app.example'] } })
  off = await testApp()
})
afterAll(async () => {
  await t.stop()
  await off.stop()
})

const header = 'gatehouse-proof-of-work'
const challengeFor = async (at: TestApp, purpose: string) =>
  (await at.client().request(`/proof-of-work?for=${purpose}`)).json as {
    required: boolean
    challenge: string
    difficulty: number
  }
const solve = async (purpose = 'sign-up', at = t): Promise<string> => {
  const { challenge, difficulty } = await challengeFor(at, purpose)
  return createSearch(challenge, difficulty)(1_000_000) ?? ''
}
let people = 0
const signUp = (proof: string | undefined, at = t, body: unknown = undefined) => {
  people += 1
  const account = { name: 'Ann', email: `ann${people}@example.com`, password }
  const headers = { origin: at === off ? off.url : t.url, ...(proof === undefined ? {} : { [header]: proof }) }
  return at.client().post('/sign-up/email', body ?? account, headers)
}
const invalid = (message: string) => ({
  code: 'PROOF_OF_WORK_INVALID',
  message: 'Proof of work invalid',
  issues: [{ path: 'Gatehouse-Proof-Of-Work', message: expect.stringContaining(message) }],
})

test('a sign-up without a proof of work is refused with the required work, before its body is read', async () => {
  const refused = await signUp(undefined, t, { nonsense: true })
  expect([refused.status, refused.json]).toEqual([
    400,
    {
      code: 'PROOF_OF_WORK_REQUIRED',
      message: 'Proof of work required',
      issues: [{ path: 'Gatehouse-Proof-Of-Work', message: expect.stringContaining('GET /proof-of-work?for=sign-up') }],
    },
  ])
  expect((await signUp(await solve())).status).toBe(200)
})

test('each call that mails a sign-in link or code is refused without a proof of work', async () => {
  const config = { limits: { proofOfWork: { for: ['mail-sign-in'], difficulty: 4 } }, mailSignIn: { enabled: true } }
  const proving = await testApp({ config })
  const send = async (path: string, proof?: string) => {
    const body = { email: 'ann@example.com', type: 'sign-in' }
    const { status, json } = await proving.client().post(path, body, proof === undefined ? {} : { [header]: proof })
    return [status, (json as { code?: string }).code]
  }
  for (const path of ['/sign-in/magic-link', '/email-otp/send-verification-otp']) {
    expect(await send(path), path).toEqual([400, 'PROOF_OF_WORK_REQUIRED'])
    expect(await send(path, await solve('mail-sign-in', proving)), path).toEqual([200, undefined])
  }
  await proving.stop()
})

testOnBoth('a solved challenge is accepted once, even by two simultaneous requests at two nodes', async () => {
  const proof = await solve()
  const other = await t.node()
  const answers = await Promise.all([signUp(proof), signUp(proof, other), signUp(proof), signUp(proof, other)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  for (const { status, json } of answers) if (status === 400) expect(json).toEqual(invalid('it was used before'))
  await other.stop()
})

test('a proof of work is used up even if the sign-up is refused for another reason', async () => {
  const proof = await solve()
  expect((await signUp(proof, t, { name: 'Ann', email: 'nonsense', password })).status).toBe(400)
  expect((await signUp(proof)).json).toEqual(invalid('it was used before'))
})

test('a proof of work for another purpose, or that is expired, forged or unsolved, is refused with the required work', async () => {
  // No race in the database: every text is refused by itself.
  expect((await signUp(await solve('reset'))).json).toEqual(invalid('it is for reset'))

  const late = await solve()
  t.clock.advance({ seconds: 301 })
  expect((await signUp(late)).json).toEqual(invalid('it has expired'))

  const { challenge } = await challengeFor(t, 'sign-up')
  const easier = challenge.replace('.4.', '.1.')
  expect((await signUp(createSearch(easier, 1)(1000))).json).toEqual(invalid('expected is <challenge>.<text>'))
  expect((await signUp('nonsense')).json).toEqual(invalid('expected is <challenge>.<text>'))
  const elsewhere = await testApp({
    config: {
      limits: { proofOfWork: { for: ['sign-up'], difficulty: 4 } },
      secret: ['b3RoZXIgc2VjcmV0LCA0OCByYW5kb20gYnl0ZXMgaW4gYmFzZTY0'],
    },
  })
  expect((await signUp(await solve('sign-up', elsewhere))).json).toEqual(invalid('expected is <challenge>.<text>'))
  await elsewhere.stop()

  // A wrong text may happen to be a solution (1 in 16), so several are sent.
  const wrong = await Promise.all(Array.from({ length: 4 }, (_, n) => signUp(`${challenge}.wrong${n}`)))
  const said = wrong.filter(({ status }) => status === 400).map(({ json }) => json['issues'])
  expect(JSON.stringify(said)).toContain('does not begin with 4 bits that are 0')
})

test('both calls that mail a reset link require a proof of work for resets, and a sign-in requires none', async () => {
  const body = { email: 'somebody@example.com' }
  for (const path of ['/request-password-reset', '/forget-password']) {
    expect((await t.client().post(path, body)).json).toMatchObject({ code: 'PROOF_OF_WORK_REQUIRED' })
    expect((await t.client().post(path, body, { [header]: await solve('reset') })).status).toBe(200)
  }
  expect((await t.client().post('/sign-in/email', { ...body, password })).status).toBe(401)
})

test('no proof of work is required by default, and the answer to a request for a challenge says so', async () => {
  expect(await challengeFor(off, 'sign-up')).toMatchObject({ required: false, challenge: null })
  expect((await signUp(undefined, off)).status).toBe(200)
  expect((await signUp('whatever', off)).status).toBe(200)
  expect((await challengeFor(t, 'mail-sign-in')).required).toBe(false)
})

test('a page of a trusted origin can send the proof of work', async () => {
  const asked = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
  const answer = await t.client().request('/sign-up/email', { method: 'OPTIONS', headers: asked })
  expect(answer.headers.get('access-control-allow-headers')).toContain('Gatehouse-Proof-Of-Work')
})
