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

/** Error code for the length of a password in code points after NFC (security baseline, section 1); undefined for an allowed one. */
export const lengthProblem = (
  password: string,
  { minLength, maxLength }: PasswordLimits,
): 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG' | undefined => {
  const length = [...password.normalize('NFC')].length
  if (length < minLength) return 'PASSWORD_TOO_SHORT'
  return length > maxLength ? 'PASSWORD_TOO_LONG' : undefined
}

/** The owner of the password. */
interface Owner {
  readonly name: string
  readonly email: string
  readonly username?: string | null | undefined
  readonly role: string
}

/** Checks and hashes every password, so that all paths have the same rules (security baseline, section 1). */
export interface PasswordPolicy {
  /** Throws PASSWORD_TOO_SHORT and PASSWORD_TOO_LONG. */
  checkLength(password: string): void
  /**
   * Checks and hashes. Throws PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON and PASSWORD_WAS_LEAKED. May use the network:
   * not in a transaction.
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
      // Attackers guess more at accounts with instance permissions.
      const isRefused = config.refuseCommon || roles.permissionsOfRoles(role).size > 0
      if (isRefused && (await isCommonPassword(password, [email, name, username ?? ''])))
        throw passwordErrors.error('PASSWORD_TOO_COMMON')
      if (await breached.isBreached(password)) throw passwordErrors.error('PASSWORD_WAS_LEAKED')
      return passwords.hash(password, requester)
    },
  }
}
