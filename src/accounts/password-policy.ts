import type { Passwords } from '../core/crypto.ts'
import type { Requester } from '../core/hash-queue.ts'
import { isCommonPassword } from './common-passwords.ts'
import type { PasswordConfig } from './config.ts'
import { accountErrors } from './errors.ts'
import { lengthProblem } from './rules.ts'

/** Who a password is for. */
interface Holder {
  readonly name: string
  readonly email: string
  readonly role: string
}

/** The one way a password is set: its rules are the same on every path (security baseline, section 1). */
export interface PasswordPolicy {
  /** Throws PASSWORD_TOO_SHORT and PASSWORD_TOO_LONG. */
  checkLength(password: string): void
  /** Checks and hashes. Throws the same, and PASSWORD_TOO_COMMON. */
  hash(password: string, holder: Holder, requester: Requester): Promise<string>
}

export const createPasswordPolicy = (passwords: Passwords, config: PasswordConfig): PasswordPolicy => {
  const checkLength = (password: string) => {
    const problem = lengthProblem(password, config)
    if (problem !== undefined) throw accountErrors.refuse(problem)
  }
  return {
    checkLength,
    hash: async (password, { name, email, role }, requester) => {
      checkLength(password)
      if ((config.refuseCommon || role === 'admin') && (await isCommonPassword(password, [email, name])))
        throw accountErrors.refuse('PASSWORD_TOO_COMMON')
      return passwords.hash(password, requester)
    },
  }
}
