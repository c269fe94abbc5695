/** The owner of an address, who proves that the address is theirs. */
import { expect } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { type FakeGitHub, githubPerson } from '../../support/social/fake-github.ts'
import { errorOf, signInAt } from '../../support/social/flow.ts'

/** Requests a password reset and returns the token of the mailed link. */
export const resetTokenOf = async (t: TestApp, email: string): Promise<string> => {
  await t.client().post('/request-password-reset', { email })
  const { pathname } = new URL((await t.mailTo(email, 'reset-password')).link)
  return pathname.split('/').at(-1) ?? ''
}

/** A browser that signed in with a mailed code. */
export const signedInByMail = async (t: TestApp, email: string): Promise<Client> => {
  const browser = t.client()
  await browser.post('/sign-in/magic-link', { email })
  await t.mailKinds(email)
  await t.mails()
  const otp = /^(\d{6})\s*$/m.exec((await t.mailTo(email, 'sign-in')).raw)?.[1]
  expect((await browser.post('/sign-in/email-otp', { email, otp })).status).toBe(200)
  return browser
}

/** A browser that signed in at GitHub, where a person with this id has verified the address. */
export const signedInByGitHub = async (t: TestApp, github: FakeGitHub, id: number, email: string): Promise<Client> => {
  github.state.person = githubPerson(id, email)
  const browser = t.client()
  expect(errorOf(await signInAt(browser, { provider: 'github', callbackURL: '/account' }))).toBeNull()
  return browser
}
