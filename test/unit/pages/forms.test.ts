import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as accountChecks from '../../../admin-ui/hosted/account/checks.ts'
import enTexts from '../../../admin-ui/locales/pages/en.json' with { type: 'json' }
import * as checks from '../../../admin-ui/shared/checks.ts'
import { errorMessages } from '../../../admin-ui/shared/error-messages.ts'
import { createI18n } from '../../../admin-ui/shared/i18n.ts'
import * as passwordChecks from '../../../admin-ui/shared/new-password-checks.ts'
import { isSignedOut, needsProof } from '../../../admin-ui/shared/refusals.ts'
import { strengthOf } from '../../../admin-ui/shared/strength.tsx'
import { lengthProblem } from '../../../src/authentication/methods/password/policy.ts'
import { nameInput, parseEmail, pictureInput } from '../../../src/core/wire.ts'
import { ApiError } from '../../../src/http/client.ts'
import { runs } from '../../support/runs.ts'

const { pages: en } = enTexts

const i18n = createI18n('en', en)
const length = { passwordMinLength: 8, passwordMaxLength: 128 }

beforeAll(() => void vi.stubGlobal('navigator', { onLine: true }))
afterAll(() => void vi.unstubAllGlobals())

describe('the checks of forms', () => {
  const fieldsOf = (errors: object) => Object.keys(errors)

  test('the check of an email address finds a missing and a malformed address', () => {
    for (const email of ['ann@example.com', ' ann@example.com ', 'ann@localhost'])
      expect(checks.checkEmail({ email }, i18n)).toEqual({})
    for (const email of ['', 'ann', '@example.com', 'ann@', 'a b@example.com'])
      expect(fieldsOf(checks.checkEmail({ email }, i18n))).toEqual(['email'])
  })

  test('the length of a new password is counted in code points', () => {
    expect(passwordChecks.checkNewPassword({ newPassword: '🔑🔑🔑🔑🔑🔑🔑' }, length, i18n).newPassword).toBe(
      'Use at least 8 characters',
    )
    expect(passwordChecks.checkNewPassword({ newPassword: '🔑🔑🔑🔑🔑🔑🔑🔑' }, length, i18n)).toEqual({})
    expect(passwordChecks.checkNewPassword({ newPassword: 'x'.repeat(129) }, length, i18n).newPassword).toBe(
      'Use at most 128 characters',
    )
  })

  test('a new password must differ from the current password', () => {
    const check = (currentPassword: string, newPassword: string) =>
      fieldsOf(accountChecks.checkPasswordChange({ currentPassword, newPassword }, length, i18n))
    expect(check('correct horse', 'battery staple')).toEqual([])
    expect(check('correct horse', 'correct horse')).toEqual(['newPassword'])
    expect(check('', 'short')).toEqual(['currentPassword', 'newPassword'])
  })

  test('a new email address must differ from the current address in more than case and blanks', () => {
    const check = (newEmail: string) => accountChecks.checkEmailChange({ newEmail }, 'ann@example.com', i18n).newEmail
    expect(check('bob@example.com')).toBeUndefined()
    expect(check(' Ann@Example.com')).toBe('This is already your address')
  })

  test('a picture must be a web address or empty', () => {
    const check = (image: string) => fieldsOf(accountChecks.checkProfile({ name: 'Ann', image }, i18n))
    for (const image of ['', ' ', 'https://example.com/a.png', 'HTTPS://example.com/a.png', 'http://localhost/a.png'])
      expect(check(image)).toEqual([])
    for (const image of ['javascript:alert(1)', 'example.com/a.png', 'https://', 'http://example.com/a.png'])
      expect(check(image)).toEqual(['image'])
    expect(fieldsOf(accountChecks.checkProfile({ name: ' ', image: '' }, i18n))).toEqual(['name'])
  })

  test('the server refuses every value that a form refuses, except an email domain without a dot', () => {
    const characters = fc.constantFrom(
      'a',
      'Z',
      '0',
      '@',
      '.',
      '-',
      '_',
      ' ',
      '\t',
      '\u00a0',
      '\u2800',
      '\ufeff',
      '/',
      ':',
      'é',
      '🔑',
      '\u0301',
    )
    const texts = fc.oneof(fc.string({ unit: characters, maxLength: 12 }), fc.string({ unit: 'grapheme' }))
    const addresses = fc.oneof(
      texts,
      fc.emailAddress(),
      fc.emailAddress().map((email) => ` ${email.toUpperCase()}\n`),
    )
    const pictures = fc.oneof(
      texts,
      fc.webUrl(),
      fc.tuple(fc.constantFrom('https://', 'HTTPS://', 'http://', 'https:/', 'https:'), texts).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(addresses, texts, pictures, (email, name, picture) => {
        const isDotted = email.slice(email.lastIndexOf('@')).includes('.')
        if (isDotted && checks.checkEmail({ email }, i18n).email !== undefined) expect(parseEmail(email)).toBeUndefined()
        const refused = accountChecks.checkProfile({ name, image: picture }, i18n)
        if (refused.name !== undefined) expect(nameInput.safeParse(name).success).toBe(false)
        if (refused.image !== undefined) expect(pictureInput.safeParse(picture.trim()).success).toBe(false)
      }),
      { numRuns: 20 * runs },
    )
  })

  test('forms and server agree on the length of every password', () => {
    const limits = { minLength: length.passwordMinLength, maxLength: length.passwordMaxLength }
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 140, size: 'max' }), (newPassword) => {
        const isRefused = passwordChecks.checkNewPassword({ newPassword }, length, i18n).newPassword !== undefined
        expect(isRefused).toBe(lengthProblem(newPassword, limits) !== undefined)
      }),
      { numRuns: 20 * runs },
    )
  })

  test('deleting the account requires the full email address, and the password if the account has one', () => {
    const check = (confirmation: string, password: string, hasPassword = true) =>
      fieldsOf(accountChecks.checkDeletion({ confirmation, password }, { email: 'ann@example.com', hasPassword }, i18n))
    expect(check('Ann@example.com ', 'secret')).toEqual([])
    expect(check('ann@example.co', '')).toEqual(['confirmation', 'password'])
    expect(check('ann@example.com', '', false)).toEqual([])
  })
})

describe('error messages', () => {
  const say = (code: string, status: number, fields: readonly string[] = [], wait?: number) =>
    errorMessages(new ApiError(status, code, 'text for programs'), fields, wait, i18n)

  test("an error is shown at its field under the form's name for the field", () => {
    expect(say('PASSWORD_TOO_COMMON', 400, ['newPassword']).fields).toEqual({ newPassword: en['problem.passwordCommon'] })
    expect(say('PASSWORD_WAS_LEAKED', 400, ['newPassword']).fields).toEqual({ newPassword: en['problem.passwordLeaked'] })
    expect(say('PASSWORD_TOO_COMMON', 400, ['email', 'password']).fields).toEqual({ password: en['problem.passwordCommon'] })
    expect(say('INVALID_PASSWORD', 400, ['currentPassword', 'newPassword']).fields).toEqual({
      currentPassword: en['problem.passwordWrong'],
    })
  })

  test('an error without a field in the form is shown for the whole form', () => {
    expect(say('COULDNT_UPDATE_YOUR_EMAIL', 400)).toEqual({ fields: {}, form: { text: en['problem.emailTaken'] } })
  })

  test('the message of a rate limit names the wait, and the message of a locked password does not, because waiting does not help', () => {
    expect(say('TOO_MANY', 429, [], 7).form).toEqual({ text: en['problem.tooMany'], waitSeconds: 7 })
    expect(say('TOO_MANY', 429).form?.waitSeconds).toBe(10)
    expect(say('TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD', 429).form).toEqual({ text: en['problem.passwordLocked'] })
  })

  test('the messages for a missing proof, an error and an ended session are distinct', () => {
    const [stale, over] = [new ApiError(403, 'SESSION_IS_NOT_FRESH', ''), new ApiError(401, 'UNAUTHORIZED', '')]
    expect([needsProof(stale), needsProof(over), needsProof(new Error('x'))]).toEqual([true, false, false])
    expect([isSignedOut(stale), isSignedOut(over)]).toEqual([false, true])
    expect(say('SECOND_FACTOR_REQUIRED', 403).form).toEqual({ text: en['problem.notFresh'] })
  })

  test('an unknown error code gets the general message, even if the code is the name of an object property', () => {
    for (const code of ['SOMETHING_NEW', 'constructor', '__proto__', 'toString'])
      expect(say(code, 400, ['constructor']).form).toEqual({ text: en['problem.unknown'] })
    expect(say('X', 503).form).toEqual({ text: en['problem.busy'] })
  })

  test('an error that no server has sent gets the general message, and is reported to the window', () => {
    const heard = vi.fn()
    vi.stubGlobal('reportError', heard)
    const bug = new Error('bug')
    expect(errorMessages(bug, [], undefined, i18n).form).toEqual({ text: en['problem.unknown'] })
    expect(heard).toHaveBeenCalledWith(bug)
  })

  test('a failed connection and an offline browser each have a message', () => {
    expect(say('NETWORK', 0).form).toEqual({ text: en['problem.network'] })
    vi.stubGlobal('navigator', { onLine: false })
    expect(say('NETWORK', 0).form).toEqual({ text: en['problem.offline'] })
    vi.stubGlobal('navigator', { onLine: true })
  })
})

test("a password made of one's own name is weak, and a password of several words is strong", () => {
  expect(strengthOf('ann.lindqvist', ['Ann Lindqvist'])).toBe(1)
  expect(strengthOf('password1', [])).toBe(1)
  expect(strengthOf('correct horse battery', ['Ann'])).toBe(4)
})
