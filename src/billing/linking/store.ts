import { type Db, readPrepared } from '../../core/database.ts'
import type { Standing } from '../projection/standing.ts'

const standings = {
  name: 'billing_standings',
  sql: `select 'user' as holder, c.id, c.standing from billing_link l join billing_customer c on c.id = l.customer_id where l.user_id = ?
union all select 'organization', c.id, c.standing from billing_link l join billing_customer c on c.id = l.customer_id where l.organization_id = ?
order by 1, 2`,
}

export const listStandings = async (db: Db, who: { readonly userId: string | null; readonly organizationId: string | null }) => {
  const rows = await readPrepared(db, standings, [who.userId, who.organizationId])
  return rows.map(({ holder, id, standing }) => ({
    holder: holder as 'user' | 'organization',
    customerId: id as string,
    standing: JSON.parse(standing as string) as Standing,
  }))
}
