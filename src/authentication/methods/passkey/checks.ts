import type { Check } from '../../../core/checks.ts'
import type { Core, SignInMethodCount } from '../../../core/core.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import { addressProblem } from './rules.ts'
import { ownersOf } from './store.ts'

/** Users with passkeys that are looked at: each takes some reads. */
const mostOwners = 200

interface Deps extends Pick<Core, 'db' | 'url'> {
  readonly users: Pick<Users, 'find'>
  readonly secondFactors: Pick<SecondFactors, 'enrolled'>
  readonly countSignInMethods: SignInMethodCount
  readonly isEnabled: boolean
}

export const passkeyChecks = (deps: Deps): readonly Check[] => {
  const { db, url, users, secondFactors, countSignInMethods, isEnabled } = deps

  /** True for who cannot sign in as long as passkeys are off: by no way at all, or not beyond the first step. */
  const isLockedOut = async (id: string): Promise<boolean> => {
    const user = await users.find(db, id)
    if (user === undefined) return false
    if (user.twoFactorEnabled && (await secondFactors.enrolled(db, user)).length === 0) return true
    return (await countSignInMethods(db, id)) === 0
  }

  return [
    {
      name: 'passkeys',
      run: async () => {
        const message = isEnabled ? addressProblem(url) : undefined
        if (message === undefined) return []
        return [{ severity: 'notice', message, remedy: 'set url to an https address, or passkeys.enabled to false' }]
      },
    },
    {
      name: 'passkeys-off',
      run: async () => {
        if (isEnabled) return []
        const owners = await ownersOf(db, mostOwners + 1)
        const looked = owners.slice(0, mostOwners)
        let locked = 0
        for (const id of looked) if (await isLockedOut(id)) locked += 1
        if (locked === 0) return []
        const among = owners.length > mostOwners ? `Of the first ${mostOwners} users with passkeys, ` : ''
        const message = `${among}${locked} cannot sign in while passkeys are off: they have nothing else`
        return [
          { severity: 'warning', message, remedy: 'set passkeys.enabled to true, or gatehouse create-recovery-link for each' },
        ]
      },
    },
  ]
}
