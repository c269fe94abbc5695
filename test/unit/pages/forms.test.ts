import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { explain } from '../../../admin-ui/shared/explain.ts'
import { createI18n } from '../../../admin-ui/shared/i18n.ts'
import { en } from '../../../admin-ui/shared/locales/en.ts'
import * as rules from '../../../admin-ui/shared/rules.ts'
import { strengthOf } from '../../../admin-ui/shared/strength.tsx'
import { ApiError } from '../../../src/http/contract.ts'

const i18n = createI18n('en', en)
const length = { passwordMinLength: 8, passwordMaxLength: 128 }

beforeAll(() => void vi.stubGlobal('navigator', { onLine: true }))
afterAll(() => void vi.unstubAllGlobals())

describe('what can be said without asking the server', () => {
  const fieldsOf = (errors: object) => Object.keys(errors)

  test('an address', () => {
    for (const email of ['ann@example.com', ' ann@example.com ', 'ann@localhost'])
      expect(rules.checkEmail({ email }, i18n)).toEqual({})
    for (const email of ['', 'ann', '@example.com', 'ann@', 'a b@example.com'])
      expect(fieldsOf(rules.checkEmail({ email }, i18n))).toEqual(['email'])
  })

  test('a new password counts code points', () => {
    expect(rules.checkNewPassword({ newPassword: '🔑🔑🔑🔑🔑🔑🔑' }, length, i18n).newPassword).toBe('Use at least 8 characters')
    expect(rules.checkNewPassword({ newPassword: '🔑🔑🔑🔑🔑🔑🔑🔑' }, length, i18n)).toEqual({})
    expect(rules.checkNewPassword({ newPassword: 'x'.repeat(129) }, length, i18n).newPassword).toBe('Use at most 128 characters')
  })

  test('a changed password is another one', () => {
    const check = (currentPassword: string, newPassword: string) =>
      fieldsOf(rules.checkPasswordChange({ currentPassword, newPassword }, length, i18n))
    expect(check('correct horse', 'battery staple')).toEqual([])
    expect(check('correct horse', 'correct horse')).toEqual(['newPassword'])
    expect(check('', 'short')).toEqual(['currentPassword', 'newPassword'])
  })

  test('a changed address is another one, however it is written', () => {
    const check = (newEmail: string) => rules.checkEmailChange({ newEmail }, 'ann@example.com', i18n).newEmail
    expect(check('bob@example.com')).toBeUndefined()
    expect(check(' Ann@Example.com')).toBe('This is your address already')
  })

  test('a picture is an address of the web, or none', () => {
    const check = (image: string) => fieldsOf(rules.checkProfile({ name: 'Ann', image }, i18n))
    for (const image of ['', ' ', 'https://example.com/a.png']) expect(check(image)).toEqual([])
    for (const image of ['javascript:alert(1)', 'example.com/a.png', 'https://']) expect(check(image)).toEqual(['image'])
    expect(fieldsOf(rules.checkProfile({ name: ' ', image: '' }, i18n))).toEqual(['name'])
  })

  test('deleting takes the address in full, and the password where there is one', () => {
    const check = (confirmation: string, password: string, hasPassword = true) =>
      fieldsOf(rules.checkDeletion({ confirmation, password }, { email: 'ann@example.com', hasPassword }, i18n))
    expect(check('Ann@example.com ', 'secret')).toEqual([])
    expect(check('ann@example.co', '')).toEqual(['confirmation', 'password'])
    expect(check('ann@example.com', '', false)).toEqual([])
  })
})

describe('what is said about a refusal', () => {
  const say = (code: string, status: number, fields: readonly string[] = [], wait?: number) =>
    explain(new ApiError(status, code, 'text for programs'), fields, wait, i18n)

  test('it stands at the field it is about, under whichever name the form has it', () => {
    expect(say('PASSWORD_TOO_COMMON', 400, ['newPassword']).fields).toEqual({ newPassword: en['problem.passwordCommon'] })
    expect(say('PASSWORD_TOO_COMMON', 400, ['email', 'password']).fields).toEqual({ password: en['problem.passwordCommon'] })
    expect(say('INVALID_PASSWORD', 400, ['currentPassword', 'newPassword']).fields).toEqual({
      currentPassword: en['problem.passwordWrong'],
    })
  })

  test('without such a field it is about the form', () => {
    expect(say('COULDNT_UPDATE_YOUR_EMAIL', 400)).toEqual({ fields: {}, form: { text: en['problem.emailTaken'] } })
  })

  test('a limit names its wait; a locked password does not, because waiting does not help', () => {
    expect(say('TOO_MANY', 429, [], 7).form).toEqual({ text: en['problem.tooMany'], waitSeconds: 7 })
    expect(say('TOO_MANY', 429).form?.waitSeconds).toBe(10)
    expect(say('TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD', 429).form).toEqual({ text: en['problem.passwordLocked'] })
  })

  test('a stale session is offered another sign-in', () => {
    expect(say('SESSION_IS_NOT_FRESH', 403).form?.isStale).toBe(true)
    expect(say('UNAUTHORIZED', 401).form?.isStale).toBe(true)
    expect(say('ACCOUNT_NOT_FOUND', 400).form?.isStale).toBeUndefined()
  })

  test('unknown codes, even the names of object parts, are our fault in plain words', () => {
    for (const code of ['SOMETHING_NEW', 'constructor', '__proto__', 'toString'])
      expect(say(code, 400, ['constructor']).form).toEqual({ text: en['problem.unknown'] })
    expect(say('X', 503).form).toEqual({ text: en['problem.busy'] })
    expect(explain(new Error('bug'), [], undefined, i18n).form).toEqual({ text: en['problem.unknown'] })
  })

  test('the network is named, and being offline too', () => {
    expect(say('NETWORK', 0).form).toEqual({ text: en['problem.network'] })
    vi.stubGlobal('navigator', { onLine: false })
    expect(say('NETWORK', 0).form).toEqual({ text: en['problem.offline'] })
    vi.stubGlobal('navigator', { onLine: true })
  })
})

test('a password of the own name is weak, one of several words is strong', () => {
  expect(strengthOf('ann.lindqvist', ['Ann Lindqvist'])).toBe(1)
  expect(strengthOf('password1', [])).toBe(1)
  expect(strengthOf('correct horse battery', ['Ann'])).toBe(4)
})
