import { type InstanceRoles, splitRoles } from '../../access/roles.ts'
import { type Check, defineFindings } from '../../core/checks.ts'
import type { Core } from '../../core/core.ts'
import type { User, Users } from '../../identity/users/index.ts'

/** The number of users whom a finding names one by one. The others are only counted, up to `mostCounted`. */
const mostNamed = 3
const mostCounted = 1_001

const counted = (count: number, which: string) => ({ count, who: `${count} ${which} ${count === 1 ? 'user has' : 'users have'}` })

const { texts, found } = defineFindings({
  'factor-not-required': {
    message:
      'The user {userId} ({role}) has had no second factor since the account was made on {since}, and nothing requires one',
    remedy: '{command}',
  },
  'factor-late': {
    message: 'The user {userId} ({role}) has no second factor, which was due on {due}: the role gives nothing until they add one',
    remedy: 'have them sign in and add one; {command}',
  },
  'factor-due': {
    message: 'The user {userId} ({role}) has no second factor, which is due on {due}',
    remedy: 'remind them; {command}',
  },
  'factors-lacking': {
    message: '{who} permissions of the instance and no second factor',
    remedy: '{command} says who',
  },
  'factors-late': {
    message: '{who} no second factor, and the time to add one is over',
    remedy: '{command}',
  },
  'factors-late-many': {
    message: 'More than {count} other users have no second factor, and the time to add one is over',
    remedy: '{command}',
  },
})

interface Deps extends Pick<Core, 'db' | 'clock' | 'remedies'> {
  readonly users: Pick<Users, 'listWithRoles' | 'countSecondFactorOverdue'>
  readonly instanceRoles: Pick<InstanceRoles, 'permissionsOfRoles'>
}

/**
 * Reports users with instance permissions who have no second factor, and other users who are overdue to add one. It names users by id,
 * because some readers of the report may not see more about them.
 */
export const secondFactorCheck = ({ db, clock, remedies, users, instanceRoles }: Deps): Check => ({
  name: 'second-factors',
  texts,
  run: async () => {
    const now = clock.now()
    const isLate = ({ secondFactorDue }: Pick<User, 'secondFactorDue'>) => secondFactorDue !== null && secondFactorDue <= now
    const lacking = (await users.listWithRoles(db))
      .filter(({ role, secondFactorSince }) => secondFactorSince === null && instanceRoles.permissionsOfRoles(role).size > 0)
      .toSorted((a, b) => Number(isLate(b)) - Number(isLate(a)) || a.createdAt.getTime() - b.createdAt.getTime())
    const giving = (roles: readonly string[]) => roles.filter((role) => instanceRoles.permissionsOfRoles(role).size > 0)
    // The users' roles that do not require a second factor yet. The finding offers a button that makes these roles require one.
    const unrequiredOf = (users: readonly Pick<User, 'role' | 'secondFactorDue'>[]) => {
      const found = users
        .filter(({ secondFactorDue }) => secondFactorDue === null)
        .flatMap(({ role }) => giving(splitRoles(role)))
      return { unrequired: [...new Set(found)].join(',') }
    }
    const findings = lacking.slice(0, mostNamed).map((user) => {
      const { id, role, createdAt, secondFactorDue } = user
      if (secondFactorDue === null) {
        const since = createdAt.toISOString()
        const command = remedies.requireFactor(id)
        return found('warning', 'factor-not-required', { userId: id, role, since, command, ...unrequiredOf([user]) })
      }
      const values = { userId: id, role, due: secondFactorDue.toISOString(), command: remedies.listFactors(id) }
      return isLate(user) ? found('warning', 'factor-late', values) : found('notice', 'factor-due', values)
    })
    const rest = lacking.slice(mostNamed)
    if (rest.length > 0) {
      const roles = new Set(rest.flatMap(({ role }) => splitRoles(role)))
      const command = [...roles].map(remedies.listUsersWithRole).join(' && ')
      // The console links to a list of the users with this role.
      const role = [...roles][0] ?? ''
      findings.push(
        found('warning', 'factors-lacking', { ...counted(rest.length, 'more'), command, role, ...unrequiredOf(rest) }),
      )
    }
    const late = await users.countSecondFactorOverdue(db, now, mostCounted)
    const others = late - lacking.filter(isLate).length
    const command = remedies.listOverdueUsers()
    if (others > 0)
      findings.push(
        late === mostCounted
          ? found('notice', 'factors-late-many', { count: mostCounted - 1, command })
          : found('notice', 'factors-late', { ...counted(others, 'other'), command }),
      )
    return findings
  },
})
