import { lockRow, type Tx } from '../core/database.ts'
import { nullable, type Row, table, text, time } from '../core/table.ts'

const organizationColumns = {
  id: text,
  name: text,
  slug: text,
  logo: nullable(text),
  metadata: nullable(text),
  createdAt: time,
}
const organizations = table('organization', organizationColumns)
export type OrganizationRow = Row<typeof organizationColumns>

const memberColumns = { id: text, organizationId: text, userId: text, role: text, createdAt: time }
const members = table('member', memberColumns)

export const insertOrganization = (tx: Tx, row: OrganizationRow) => organizations.insert(tx, row)
export const insertMember = (tx: Tx, row: Row<typeof memberColumns>) => members.insert(tx, row)

/** Everybody in the organizations a user belongs to; these are locked until the transaction ends, so that two who leave see one another. */
export const lockFellowMembers = async (tx: Tx, userId: string): Promise<Row<typeof memberColumns>[]> => {
  const fellows: Row<typeof memberColumns>[] = []
  for (const { organizationId } of await members.list(tx, { userId }, { orderBy: 'organizationId' })) {
    await lockRow(tx, 'organization', organizationId)
    fellows.push(...(await members.list(tx, { organizationId })))
  }
  return fellows
}
