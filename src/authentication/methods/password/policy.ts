import type { InstanceRoles } from '../../../access/roles.ts'
import type { Passwords } from '../../../core/crypto.ts'
import type { Requester } from '../../../core/hash-queue.ts'
import type { BreachedPasswords } from './breached/service.ts'
import { isCommonPassword } from './common-passwords.ts'
import type { PasswordConfig } from './config.ts'
import { passwordErrors } from './contract.ts'

interface PasswordLimits {
  readonly minLength: number
  readonly maxLength: number
}

/**
 * Returns the error code if a password is too short or too long; undefined if its length is allowed. Its length is the number of code
 * points after normalization to NFC (security baseline, section 1).
 */
export const lengthProblem = (
  password: string,
  { minLength, maxLength }: PasswordLimits,
): 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG' | undefined => {
  const length = [...password.normalize('NFC')].length
  if (length < minLength) return 'PASSWORD_TOO_SHORT'
  return length > maxLength ? 'PASSWORD_TOO_LONG' : undefined
}

/** The person to whom the password belongs. */
interface Owner {
  readonly name: string
  readonly email: string
  readonly username?: string | null | undefined
  readonly role: string
}

/** Checks and hashes every new password. All passwords are therefore subject to the same rules (security baseline, section 1). */
export interface PasswordPolicy {
  /** Checks only the length. Throws PASSWORD_TOO_SHORT and PASSWORD_TOO_LONG. */
  checkLength(password: string): void
  /**
   * Checks and hashes a password. Throws PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON and PASSWORD_WAS_LEAKED. Call it
   * outside of transactions, because it may use the network.
   */
  hash(password: string, owner: Owner, requester: Requester): Promise<string>
}

export const createPasswordPolicy = (
  passwords: Passwords,
  config: PasswordConfig,
  roles: Pick<InstanceRoles, 'permissionsOfRoles'>,
  breached: Pick<BreachedPasswords, 'isBreached'>,
): PasswordPolicy => {
  const checkLength = (password: string) => {
    const problem = lengthProblem(password, config)
    if (problem !== undefined) throw passwordErrors.error(problem)
  }
  return {
    checkLength,
    hash: async (password, { name, email, username, role }, requester) => {
      checkLength(password)
      // Accounts with instance permissions attract more attacks. A common password is therefore refused for them whatever the
      // configuration says.
      const isRefused = config.refuseCommon || roles.permissionsOfRoles(role).size > 0
      if (isRefused && (await isCommonPassword(password, [email, name, username ?? ''])))
        throw passwordErrors.error('PASSWORD_TOO_COMMON')
      if (await breached.isBreached(password)) throw passwordErrors.error('PASSWORD_WAS_LEAKED')
      return passwords.hash(password, requester)
    },
  }
}
