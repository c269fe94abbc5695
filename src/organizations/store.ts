import type { Tx } from '../core/database.ts'
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
