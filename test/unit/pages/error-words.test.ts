/** Every page has a text for each error code of the calls that it makes. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { pageOf } from '../../../admin-ui/hosted/pages.ts'
import { errorMessages } from '../../../admin-ui/shared/error-messages.ts'
import { type CatalogueName, loadI18n } from '../../../admin-ui/shared/i18n.ts'
import { socialContract } from '../../../src/authentication/methods/federated/contract.ts'
import { signInContract } from '../../../src/authentication/methods/password/contract.ts'
import { sessionContract } from '../../../src/authentication/sessions/contract.ts'
import { verificationContract } from '../../../src/authentication/verification/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import type { Contract } from '../../../src/http/contract.ts'
import { oidcContract } from '../../../src/oidc/contract.ts'

const hosted = resolve(import.meta.dirname, '../../../admin-ui/hosted')

/** An address of each page, and the file that `pages.ts` loads for it. */
const pages: Readonly<Record<string, string>> = {
  '/sign-in': 'sign-in/page.tsx',
  '/sign-up': 'sign-up/page.tsx',
  '/two-factor': 'two-factor/page.tsx',
  '/mail-sign-in': 'mail-sign-in/page.tsx',
  '/check-email': 'check-email/page.tsx',
  '/forgot-password': 'forgot-password/page.tsx',
  '/reset-password': 'reset-password/page.tsx',
  '/confirm-email': 'confirm-email/page.tsx',
  '/recover-address': 'recover-address/page.tsx',
  '/stop-recovery': 'stop-recovery/page.tsx',
  '/not-me': 'not-me/page.tsx',
  '/verified': 'verified/page.tsx',
  '/account/deleted': 'deleted/page.tsx',
  '/consent': 'consent/page.tsx',
  '/choose-organization': 'choose-organization/page.tsx',
  '/select-account': 'select-account/page.tsx',
  '/sign-out': 'sign-out/page.tsx',
  '/device': 'device/page.tsx',
  '/error': 'error/page.tsx',
  '/setup': 'setup/page.tsx',
  '/account': 'account/page.tsx',
  '/account/organizations': 'organizations/area.tsx',
  '/invitation/x': 'invitation/page.tsx',
  '/nowhere': 'not-found/page.tsx',
}

test('the table of this test has every page', () => {
  const loaded = [...readFileSync(`${hosted}/pages.ts`, 'utf8').matchAll(/import\('\.\/(.+?)'\)/g)].map(([, file]) => file)
  expect(loaded.toSorted()).toEqual(Object.values(pages).toSorted())
})

/** Codes that no page shows, with the reason. */
const neverSaid: Readonly<Record<string, string>> = {
  EMAIL_NOT_VERIFIED: 'the sign-in goes on to /check-email',
  EMAIL_CAN_NOT_BE_UPDATED: 'the form of the profile has no address',
  APPLICATION_NOT_FOUND: 'the error page then shows nothing that is registered',
  NO_ACTIVE_ORGANIZATION: 'pages name the organization',
  ORGANIZATION_ID_IS_REQUIRED: 'pages name the organization',
  FORBIDDEN: 'a page offers what a session may do, and no page calls with a key',
  YOU_ARE_NOT_IMPERSONATING_ANYONE: 'the end of an impersonation leads to the console, which shows the session',
  FAILED_TO_FIND_ADMIN_SESSION: 'the end of an impersonation leads to the console, which shows the session',
  USERNAME_TOO_SHORT: 'no form has a user name',
  USERNAME_TOO_LONG: 'no form has a user name',
  INVALID_USERNAME: 'no form has a user name',
  INVALID_DISPLAY_USERNAME: 'no form has a user name',
  USERNAME_IS_ALREADY_TAKEN: 'no form has a user name',
  USERNAME_IS_IMMUTABLE: 'no form has a user name',
  ...Object.fromEntries(
    [
      ...[
        'ID_TOKEN_NOT_SUPPORTED',
        'FAILED_TO_GET_USER_INFO',
        'USER_EMAIL_NOT_FOUND',
        'UNABLE_TO_CREATE_USER',
        'SIGNUP_DISABLED',
      ],
      ...['ACCOUNT_NOT_LINKED', 'SOCIAL_ACCOUNT_ALREADY_LINKED', 'ACCOUNT_NOT_LINKED__LINKING_NOT_ALLOWED'],
      ...['ACCOUNT_NOT_LINKED__DIFFERENT_EMAILS_NOT_ALLOWED', 'ACCOUNT_NOT_LINKED__UNABLE_TO_CREATE_ACCOUNT'],
    ].map((code) => [code, 'only where a call brings a token of the provider']),
  ),
}

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:^import (?!type )(.*?) from |import\()'(\.[^']+)'/gms)].map(
    ([, names = '', path = '']) => ({ names, path: resolve(dirname(file), path) }),
  )

const entries = new Set(Object.values(pages).map((file) => `${hosted}/${file}`))

/** The files of a page: its imports, at once and later, without other pages. */
const filesOf = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  seen.add(file)
  for (const { path } of importsOf(file))
    if (!seen.has(path) && !entries.has(path) && /\/admin-ui\/.*\.tsx?$/.test(path) && !path.endsWith('/pages.ts'))
      filesOf(path, seen)
  return seen
}

/** Contracts that every page uses, by their names at the client. */
const common: Readonly<Record<string, Contract>> = {
  accounts: { ...signInContract, ...verificationContract },
  oidc: oidcContract,
  sessions: sessionContract,
  social: socialContract,
}

/** The endpoints that a source names after `before`. */
const codesOf = (contract: Contract, source: string, before: string): readonly string[] =>
  Object.entries(contract)
    .filter(([name]) => new RegExp(`${before}\\b${name}\\b`).test(source))
    .flatMap(([, { errors }]) => errors.map((declared) => declared.replace(/^\d+ /, '')))

test.each(Object.entries(pages))('the page %s has a text for each error code of its calls', async (path, file) => {
  const catalogues = new Set<CatalogueName>(pageOf(path).texts)
  const codes = new Set<string>()
  for (const one of filesOf(`${hosted}/${file}`)) {
    const source = readFileSync(one, 'utf8')
    for (const [, name] of source.matchAll(/addTexts\('(\w+)'\)/g)) catalogues.add(name as CatalogueName)
    for (const [name, contract] of Object.entries(common))
      for (const code of codesOf(contract, source, `\\.${name}\\.`)) codes.add(code)
    for (const { names, path: from } of importsOf(one)) {
      const name = /\b\w+Contract\b/.exec(names)?.[0]
      if (name === undefined || !from.includes('/src/')) continue
      const contract: Contract = (await import(from))[name]
      for (const code of codesOf(contract, source, '[.{,]\\s*')) codes.add(code)
    }
  }
  const i18n = await loadI18n('en', [], [...catalogues])
  const fields = ['email', 'newEmail', 'password', 'newPassword', 'currentPassword']
  const isSilent = (code: string) => {
    const { fields: said, form } = errorMessages(new ApiError(400, code, code), fields, undefined, i18n)
    return Object.keys(said).length === 0 && form?.text === i18n.t('problem.unknown')
  }
  expect([...codes].filter((code) => !Object.hasOwn(neverSaid, code) && isSilent(code))).toEqual([])
})
