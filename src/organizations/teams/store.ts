import type { Db, Tx } from '../../core/database.ts'
import { nullable, type Row, table, text, time } from '../../core/table.ts'

const columns = { id: text, organizationId: text, name: text, createdAt: time, updatedAt: nullable(time) }
const teams = table('team', columns)
export type TeamRow = Row<typeof columns>

const memberColumns = { id: text, organizationId: text, teamId: text, userId: text, createdAt: time }
const teamMembers = table('team_member', memberColumns)
export type TeamMemberRow = Row<typeof memberColumns>

export const insertTeam = (tx: Tx, row: TeamRow) => teams.insert(tx, row)
export const insertTeamMember = (tx: Tx, row: TeamMemberRow) => teamMembers.insert(tx, row)

/** Teams of an organization, oldest first. */
export const listTeams = async (db: Db, organizationId: string, limit: number, offset = 0): Promise<TeamRow[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex('team')
    .where({ organization_id: organizationId })
    .orderBy(['created_at', 'id'])
    .limit(limit)
    .offset(offset)
  return rows.map((raw) => teams.decode(raw))
}
