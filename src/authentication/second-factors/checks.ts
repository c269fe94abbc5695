import type { InstanceRoles } from '../../access/roles.ts'
import type { Check, Finding } from '../../core/checks.ts'
import type { Core } from '../../core/core.ts'
import type { User, Users } from '../../identity/users/index.ts'

/** Users that are named, and as far as the others are counted. */
const mostNamed = 3
const mostCounted = 1_001

const counted = (count: number, which: string) => `${count} ${which} ${count === 1 ? 'user has' : 'users have'}`

interface Deps extends Pick<Core, 'db' | 'clock'> {
  readonly users: Pick<Users, 'listWithRoles' | 'countSecondFactorOverdue'>
  readonly instanceRoles: Pick<InstanceRoles, 'permissionsOfRoles'>
}

/** Who has permissions of the instance and no second factor, and who else is late with one. Users are named by id: not everybody who checks may see more. */
export const secondFactorCheck = ({ db, clock, users, instanceRoles }: Deps): Check => ({
  name: 'second-factors',
  run: async () => {
    const now = clock.now()
    const isLate = ({ secondFactorDue }: Pick<User, 'secondFactorDue'>) => secondFactorDue !== null && secondFactorDue <= now
    const lacking = (await users.listWithRoles(db))
      .filter(({ role, secondFactorSince }) => secondFactorSince === null && instanceRoles.permissionsOfRoles(role).size > 0)
      .toSorted((a, b) => Number(isLate(b)) - Number(isLate(a)) || a.createdAt.getTime() - b.createdAt.getTime())
    const findings = lacking.slice(0, mostNamed).map((user): Finding => {
      const { id, role, createdAt, secondFactorDue } = user
      const who = `The user ${id} (${role})`
      if (secondFactorDue === null)
        return {
          severity: 'warning',
          message: `${who} has had no second factor since the account was made on ${createdAt.toISOString()}, and nothing requires one`,
          remedy: `gatehouse require-factor --user ${id}`,
        }
      const due = secondFactorDue.toISOString()
      return isLate(user)
        ? {
            severity: 'warning',
            message: `${who} has no second factor, which was due on ${due}: the role gives nothing until they add one`,
            remedy: `have them sign in and add one; gatehouse list-factors --user ${id}`,
          }
        : {
            severity: 'notice',
            message: `${who} has no second factor, which is due on ${due}`,
            remedy: `remind them; gatehouse list-factors --user ${id}`,
          }
    })
    if (lacking.length > mostNamed)
      findings.push({
        severity: 'warning',
        message: `${counted(lacking.length - mostNamed, 'more')} permissions of the instance and no second factor`,
        remedy: 'gatehouse list-users --role <role> says who',
      })
    const late = await users.countSecondFactorOverdue(db, now, mostCounted)
    const others = late - lacking.filter(isLate).length
    if (others > 0)
      findings.push({
        severity: 'notice',
        message: `${late === mostCounted ? `More than ${mostCounted - 1} other users have` : counted(others, 'other')} no second factor, and the time to add one is over`,
        remedy: 'gatehouse list-users --second-factor overdue',
      })
    return findings
  },
})
