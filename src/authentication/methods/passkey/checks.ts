import { type Check, defineFindings } from '../../../core/checks.ts'
import type { Core, SignInMethodCount } from '../../../core/core.ts'
import type { Users } from '../../../identity/users/index.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import { addressProblem } from './rules.ts'
import { ownersOf } from './store.ts'

/** The largest number of users with passkeys that the check examines. Each user takes several reads. */
const mostOwners = 200

const secureUrl = 'set url to an https address, or passkeys.enabled to false'
const findings = defineFindings({
  'passkeys-ip': { message: '{hostname} is an IP address, for which browsers offer no passkeys', remedy: secureUrl },
  'passkeys-http': { message: '{url} is http, where browsers offer no passkeys', remedy: secureUrl },
})

const switchOn = 'set passkeys.enabled to true, or create-recovery-link for each'
const offFindings = defineFindings({
  'passkeys-missed': { message: '{count} cannot sign in while passkeys are off: they have nothing else', remedy: switchOn },
  'passkeys-missed-among': {
    message: 'Of the first {all} users with passkeys, {count} cannot sign in while passkeys are off: they have nothing else',
    remedy: switchOn,
  },
})

interface Deps extends Pick<Core, 'db' | 'url'> {
  readonly users: Pick<Users, 'find'>
  readonly secondFactors: Pick<SecondFactors, 'enrolled'>
  readonly countSignInMethods: SignInMethodCount
  readonly isEnabled: boolean
}

export const passkeyChecks = (deps: Deps): readonly Check[] => {
  const { db, url, users, secondFactors, countSignInMethods, isEnabled } = deps

  /** True if this user could not complete a sign-in while passkeys are disabled. */
  const isLockedOut = async (id: string): Promise<boolean> => {
    const user = await users.find(db, id)
    if (user === undefined) return false
    if (user.twoFactorEnabled && (await secondFactors.enrolled(db, user)).length === 0) return true
    return (await countSignInMethods(db, id)) === 0
  }

  return [
    {
      name: 'passkeys',
      texts: findings.texts,
      run: async () => {
        const problem = isEnabled ? addressProblem(url) : undefined
        if (problem === undefined) return []
        const { hostname } = new URL(url)
        return [findings.found('notice', problem, { url, hostname })]
      },
    },
    {
      name: 'passkeys-off',
      texts: offFindings.texts,
      run: async () => {
        if (isEnabled) return []
        const owners = await ownersOf(db, mostOwners + 1)
        const looked = owners.slice(0, mostOwners)
        let locked = 0
        for (const id of looked) if (await isLockedOut(id)) locked += 1
        if (locked === 0) return []
        return [
          owners.length > mostOwners
            ? offFindings.found('warning', 'passkeys-missed-among', { count: locked, all: mostOwners })
            : offFindings.found('warning', 'passkeys-missed', { count: locked }),
        ]
      },
    },
  ]
}
