/** Second factors in any order: whatever people and browsers do, a session meets the policy, and no code works twice. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../http/organizations/people.ts'
import { password as firstPassword, type TestApp, testApp } from '../support/app.ts'
import { type Authenticator, createAuthenticator } from '../support/authenticator.ts'
import type { Answer, Client } from '../support/client.ts'
import { explore } from '../support/explore.ts'
import { passkeySteps } from '../support/passkeys.ts'
import { codeOf, wrongCode } from '../support/totp.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      mailSignIn: { enabled: true },
      secondFactor: { requiredFor: ['support'], graceDays: 0, mailCodes: true },
      accounts: { guessing: { freeAttempts: 1000, resetAfter: 100_000 } },
    },
  })
  t.clock.hold()
})
afterAll(() => t.stop())
const passkeys = passkeySteps(() => t)

type Kind = 'knowledge' | 'possession' | 'inherence'
interface Person {
  readonly email: string
  readonly authenticator: Authenticator
  password: string
  isSupport: boolean
  /** The secret of the active app. */
  app: string | undefined
  /** True when a password alone does not sign the person in. */
  isOn: boolean
  recoveryCodes: readonly string[]
  /** Used codes of apps, of recovery and of mails. */
  readonly used: Set<string>
}
interface Proven {
  readonly person: Person
  readonly kinds: Set<Kind>
}
interface Browser {
  readonly client: Client
  session: Proven | undefined
  pending: Proven | undefined
  /** People who had this browser remembered and have not undone it. */
  readonly remembered: Set<Person>
}
interface Model {
  readonly people: readonly Person[]
  readonly browsers: readonly Browser[]
  count: number
}
interface Step {
  readonly model: Model
  readonly browser: Browser
  readonly person: Person
  readonly pick: number
}

const hasFactor = ({ app, authenticator }: Person) => app !== undefined || authenticator.credentials.length > 0
const needsTwo = (person: Person) => person.isOn || person.isSupport
const factorsOf = ({ client }: Browser) =>
  client.api.sessions.getSession().then(async (found) => {
    if (found === null) return undefined
    const row = await t.app.core.db.knex('session').where({ id: found.session.id }).first('factors')
    return { email: found.user.email, factors: Number(row?.factors) }
  })

/** The result of a valid proof in this browser. `isSignIn` means that the policy decided, and not only a session was renewed. */
const conclude = async ({ browser }: Pick<Step, 'browser'>, person: Person, kinds: Set<Kind>, isSignIn: boolean) => {
  const found = await factorsOf(browser)
  if (browser.client.cookies.has('gatehouse.two_factor')) {
    browser.pending = { person, kinds }
    // A session that is left belongs to the same person.
    if (found === undefined || found.email !== person.email) expect(found).toBeUndefined()
    if (found === undefined) browser.session = undefined
    return false
  }
  browser.pending = undefined
  expect(found?.email, 'a session is of who has given the proofs').toBe(person.email)
  const most = browser.remembered.has(person) ? Math.max(2, kinds.size) : kinds.size
  expect(found?.factors, 'a session counts no more factors than were given').toBeLessThanOrEqual(most)
  if (isSignIn && needsTwo(person)) expect(found?.factors, 'where two are needed no session starts with one').toBeGreaterThan(1)
  browser.session = { person, kinds }
  return true
}

/** A first proof of a sign-in. */
const began = async (step: Step, { status, json }: Answer, person: Person, ...kinds: readonly Kind[]) => {
  if (status !== 200) return false
  const isPending = json['twoFactorRedirect'] === true
  if (!isPending) step.browser.client.cookies.delete('gatehouse.two_factor')
  return (await conclude(step, person, new Set(kinds), true)) || isPending
}

/** A further proof of the pending sign-in, else of the session. */
const wentOn = async (step: Step, { status, json }: Answer, person: Person, ...kinds: readonly Kind[]) => {
  if (status !== 200) return false
  const { browser } = step
  const before = browser.pending ?? browser.session
  expect(before?.person.email, 'a proof counts for who gave it').toBe(person.email)
  expect((json['user'] as { email?: string } | undefined)?.email ?? person.email).toBe(person.email)
  return conclude(step, person, new Set([...(before?.kinds ?? []), ...kinds]), browser.pending !== undefined)
}

/** All sessions and pending sign-ins of a person have ended, except those in one browser. */
const endAll = ({ browsers }: Model, person: Person, except?: Browser) => {
  for (const browser of browsers) {
    if (browser.pending?.person === person) browser.pending = undefined
    if (browser !== except && browser.session?.person === person) browser.session = undefined
  }
}
const forgetBrowsers = ({ browsers }: Model, person: Person) => {
  for (const { remembered } of browsers) remembered.delete(person)
}
const usedOnce = (person: Person, code: string, worked: boolean) => {
  if (!worked) return
  expect(person.used, 'a code works once').not.toContain(code)
  person.used.add(code)
}
const mailedCode = async (email: string, kind: string) => {
  await t.mailKinds(email)
  await t.mails()
  return /^(\d{6})\s*$/m.exec((await t.mailTo(email, kind)).raw)?.[1] ?? ''
}
/** A factor was removed. Without any factor the password alone signs the person in again. */
const removed = ({ model }: Pick<Step, 'model'>, person: Person, isOff: boolean) => {
  if (isOff || !hasFactor(person)) person.isOn = false
  if (!hasFactor(person)) person.recoveryCodes = []
  if (!person.isOn) forgetBrowsers(model, person)
}

/** Each makes one or two calls, and returns whether they had an effect. */
const calls: Readonly<Record<string, (step: Step) => Promise<boolean>>> = {
  signIn: async (step) => {
    const { browser, person } = step
    const answer = await browser.client.post('/sign-in/email', { email: person.email, password: person.password })
    return began(step, answer, person, 'knowledge')
  },
  wrongPassword: async ({ browser, person }) => {
    const { status } = await browser.client.post('/sign-in/email', { email: person.email, password: 'not the password' })
    expect(status).not.toBe(200)
    return true
  },
  mailSignIn: async (step) => {
    const { browser, person, pick } = step
    await browser.client.post('/email-otp/send-verification-otp', { email: person.email, type: 'sign-in' })
    const right = await mailedCode(person.email, 'sign-in')
    const otp = pick % 4 === 0 ? String((Number(right) + 1) % 1_000_000).padStart(6, '0') : right
    const answer = await browser.client.post('/sign-in/email-otp', { email: person.email, otp })
    if (otp !== right) expect(answer.status).not.toBe(200)
    const again = await browser.client.post('/sign-in/email-otp', { email: person.email, otp })
    if (answer.status === 200) expect(again.status, 'a mailed code works once').not.toBe(200)
    return began(step, answer, person, 'knowledge')
  },
  mailCode: async (step) => {
    const { browser } = step
    const person = (browser.pending ?? browser.session)?.person
    const sent = await browser.client.post('/two-factor/send-otp')
    if (sent.status !== 200 || person === undefined) return false
    expect(person.isSupport, 'no mailed code where two factors are required').toBe(false)
    const code = await mailedCode(person.email, 'second-factor-code')
    const answer = await browser.client.post('/two-factor/verify-otp', { code })
    const worked = await wentOn(step, answer, person, 'possession')
    if (worked) expect((await browser.client.post('/two-factor/verify-otp', { code })).status).not.toBe(200)
    return worked
  },
  passkey: async (step) => {
    const { browser, person } = step
    if (person.authenticator.credentials.length === 0) return false
    const waiting = browser.pending ?? browser.session
    const answer = await passkeys.signIn(browser.client, person.authenticator).catch(() => undefined)
    if (answer?.status !== 200) return false
    const isFurther = waiting !== undefined && waiting.person === person
    const kinds: readonly Kind[] = ['possession', 'inherence']
    return isFurther ? wentOn(step, answer, person, ...kinds) : began(step, answer, person, ...kinds)
  },
  app: async (step) => {
    const { browser, person, pick } = step
    if (person.app === undefined) return false
    t.clock.advance({ seconds: 60 })
    const code = codeOf(person.app)
    const trustDevice = pick % 3 === 0
    const answer = await browser.client.post('/two-factor/verify-totp', { code, trustDevice })
    const worked = await wentOn(step, answer, person, 'possession')
    usedOnce(person, `${person.app} ${code}`, worked)
    if (worked && trustDevice) browser.remembered.add(person)
    if (!worked) return false
    const again = await browser.client.post('/two-factor/verify-totp', { code })
    expect(again.status, 'a code of an app works once').not.toBe(200)
    return true
  },
  wrongApp: async ({ browser, person }) => {
    if (person.app === undefined) return false
    const { status } = await browser.client.post('/two-factor/verify-totp', { code: wrongCode(person.app) })
    expect(status).not.toBe(200)
    return true
  },
  recoveryCode: async (step) => {
    const { browser, person, pick } = step
    const used = [...person.used].filter((code) => !code.includes('otpauth'))
    const code = pick % 3 === 0 && used.length > 0 ? used[pick % used.length] : person.recoveryCodes[0]
    if (code === undefined) return false
    const answer = await browser.client.post('/two-factor/verify-backup-code', { code })
    const worked = await wentOn(step, answer, person, 'possession')
    usedOnce(person, code, worked)
    person.recoveryCodes = person.recoveryCodes.filter((one) => one !== code || !worked)
    return worked
  },
  addApp: async (step) => {
    const { browser, model } = step
    const { client } = browser
    const of = browser.pending ?? browser.session
    const { status, json } = await client.post('/two-factor/enable', { password: of?.person.password ?? firstPassword })
    if (status !== 200 || of === undefined) return false
    const { person } = of
    const uri = String(json['totpURI'])
    expect(decodeURIComponent(uri), 'an app is of who adds it').toContain(person.email)
    t.clock.advance({ seconds: 60 })
    const code = codeOf(uri)
    const answer = await client.post('/two-factor/verify-totp', { code })
    person.app = answer.status === 200 ? uri : person.app
    if (answer.status !== 200) return false
    person.isOn = true
    person.recoveryCodes = json['backupCodes'] as string[]
    person.used.add(`${uri} ${code}`)
    await wentOn(step, answer, person, 'possession')
    endAll(model, person, browser)
    return true
  },
  removeApp: async (step) => {
    const { browser } = step
    const person = browser.session?.person
    const { status } = await browser.client.post('/two-factor/disable', { password: person?.password ?? firstPassword })
    if (status !== 200 || person?.app === undefined) return false
    person.app = undefined
    expect(needsTwo(person) && !hasFactor(person) && person.isSupport, 'the last factor that is required stays').toBe(false)
    removed(step, person, true)
    return true
  },
  addPasskey: async (step) => {
    const { browser } = step
    const of = browser.pending ?? browser.session
    if (of === undefined) return false
    const { person } = of
    const before = person.authenticator.credentials.length
    const made = await passkeys.create(browser.client, person.authenticator).catch(() => undefined)
    const answer = made && (await browser.client.post('/passkey/verify-registration', { response: made }))
    if (answer?.status !== 200) {
      person.authenticator.credentials.splice(before)
      return false
    }
    return conclude(step, person, new Set([...of.kinds, 'possession', 'inherence']), browser.pending !== undefined)
  },
  removePasskey: async (step) => {
    const { browser } = step
    const person = browser.session?.person
    const [listed] = await browser.client.api.passkeys.listUserPasskeys().catch(() => [])
    if (person === undefined || listed === undefined) return false
    const { status } = await browser.client.post('/passkey/delete-passkey', { id: listed.id })
    if (status !== 200) return false
    const { credentials } = person.authenticator
    const at = credentials.findIndex(({ id }) => id === listed.credentialID)
    credentials.splice(at, 1)
    removed(step, person, false)
    return true
  },
  passwordAgain: async (step) => {
    const { browser } = step
    const of = browser.session
    if (of === undefined || browser.pending !== undefined) return false
    const answer = await browser.client.post('/verify-password', { password: of.person.password })
    if (answer.status !== 200) return false
    return conclude(step, of.person, new Set([...of.kinds, 'knowledge']), false)
  },
  reset: async ({ model, browser, person }) => {
    await browser.client.post('/request-password-reset', { email: person.email })
    await t.mailKinds(person.email)
    const { link } = await t.mailTo(person.email, 'reset-password')
    const token = /reset-password\/(\w+)/.exec(link)?.[1]
    model.count += 1
    const next = `password number ${model.count}`
    const { status } = await browser.client.post('/reset-password', { token, newPassword: next })
    if (status !== 200) return false
    person.password = next
    endAll(model, person)
    forgetBrowsers(model, person)
    return true
  },
  require: async ({ person }) => {
    person.isSupport = !person.isSupport
    await t.app.administration.setRole(operator, person.email, person.isSupport ? 'support' : 'user')
    return true
  },
  signOut: async ({ browser }) => {
    const { status } = await browser.client.post('/sign-out')
    if (status === 200) browser.session = undefined
    return status === 200
  },
  wait: async ({ model, pick }) => {
    t.clock.advance({ minutes: [2, 6, 25 * 60][pick % 3] ?? 0 })
    if (pick % 3 > 0) for (const browser of model.browsers) browser.pending = undefined
    return true
  },
}

/** Chosen more often than others, so that sequences make progress. */
const often = [
  'signIn',
  'signIn',
  'signIn',
  'app',
  'app',
  'app',
  'addApp',
  'addApp',
  'addPasskey',
  'passkey',
  'recoveryCode',
  'mailCode',
  'wrongApp',
  'removePasskey',
]

/** Properties of every browser after each step. */
const holds = async ({ browsers }: Model) => {
  for (const browser of browsers) {
    const found = await factorsOf(browser)
    if (found === undefined) browser.session = undefined
    expect(found?.email, 'nobody is signed in who did not sign in here').toBe(browser.session?.person.email)
    const { status } = await browser.client.request('/admin/list-users?limit=1')
    const person = browser.session?.person
    if (status === 200) {
      expect(person?.isSupport, 'a role is needed').toBe(true)
      expect(found?.factors, 'a session of one factor opens nothing that needs two').toBeGreaterThan(1)
    }
    if (found !== undefined && person?.isOn === true)
      expect(found.factors, 'no session of one factor is left of who has switched the second step on').toBeGreaterThan(1)
  }
}

const command = (name: string, effects: Set<string>) =>
  fc.record({ browser: fc.nat(1), person: fc.nat(1), pick: fc.nat(11) }).map(({ browser, person, pick }) => ({
    check: () => true,
    run: async (model: Model) => {
      const [where, who] = [model.browsers[browser], model.people[person]]
      if (where === undefined || who === undefined) throw new Error('no such browser or person')
      if ((await calls[name]?.({ model, browser: where, person: who, pick })) === true) effects.add(name)
      await holds(model)
    },
    toString: () => `${name}(browser ${browser}, ${'ab'[person]}, ${pick})`,
  }))

test('in any order of sign-ins, factors and policies no session starts with less than the policy requires, and no code works twice', async () => {
  let number = 0
  const effects = new Set<string>()
  const commands = fc.commands(
    [...Object.keys(calls), ...often].map((name) => command(name, effects)),
    { maxCommands: 60, size: 'max' },
  )
  const everyCall = Object.keys(calls).sort()
  await explore(
    fc.asyncProperty(commands, async (sequence) => {
      number += 1
      const people: Person[] = []
      for (const name of ['a', 'b']) {
        const email = `${name}@run${number}.example`
        await t.signedIn(email)
        await t.verify(email)
        const none = { app: undefined, isOn: false, isSupport: false, recoveryCodes: [], used: new Set<string>() }
        people.push({ email, password: firstPassword, authenticator: createAuthenticator(), ...none })
      }
      const browser = (): Browser => ({ client: t.client(), session: undefined, pending: undefined, remembered: new Set() })
      const model: Model = { people, browsers: [browser(), browser()], count: 0 }
      await fc.asyncModelRun(() => ({ model, real: {} }), sequence)
    }),
    () => effects.size === everyCall.length,
  )
  expect([...effects].sort(), 'every call had an effect at least once').toEqual(everyCall)
}, 600_000)
