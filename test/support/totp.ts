import { generateSync } from 'otplib'
import { password, type TestApp } from './app.ts'
import type { Client } from './client.ts'

/** The code that an authenticator app with this key shows now, or `steps` steps of 30 seconds later. */
export const codeOf = (totpURI: string, steps = 0): string => {
  const secret = new URL(totpURI).searchParams.get('secret') ?? ''
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * steps })
}

/** A code that is wrong at this time, whatever the key is. */
export const wrongCode = (totpURI: string): string => {
  const near = [-1, 0, 1].map((steps) => codeOf(totpURI, steps))
  return ['000000', '111111', '222222', '333333'].find((code) => !near.includes(code)) ?? ''
}

export interface Enrolled {
  /** The signed-in browser in which the second factor was added. */
  readonly browser: Client
  readonly totpURI: string
  readonly recoveryCodes: readonly string[]
}

/** A new user with an authenticator app. The present code is already used, and the next one is valid in 30 seconds. */
export const withAuthenticator = async (t: TestApp, email: string): Promise<Enrolled> => {
  const browser = await t.signedIn(email)
  const { totpURI, backupCodes } = await browser.api.twoFactor.enable({ body: { password } })
  await browser.api.twoFactor.verifyTotp({ body: { code: codeOf(totpURI) } })
  return { browser, totpURI, recoveryCodes: backupCodes }
}

/** A browser after the password was accepted, when the second factor is asked for. */
export const withPassword = async (t: TestApp, email: string, browser = t.client()): Promise<Client> => {
  await browser.post('/sign-in/email', { email, password })
  return browser
}
