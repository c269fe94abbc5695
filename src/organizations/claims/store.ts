import { type Db, readPrepared } from '../../core/database.ts'

/** An organization as people recognise it. */
export interface OwnOrganization {
  readonly id: string
  readonly slug: string
  readonly name: string
}

/** What an organization and its teams say of a member. */
export interface MemberFacts extends OwnOrganization {
  /** Stored form: joined by commas. */
  readonly role: string
  /** Ids of the member's teams, the one joined first first. */
  readonly teams: readonly string[]
}

// Written out once: every token with the scope is read together with this.
const facts = {
  name: 'organization_claims',
  sql: `select o.id, o.slug, o.name, m.role, t.team_id from member m join organization o on o.id = m.organization_id
    left join team_member t on t.organization_id = m.organization_id and t.user_id = m.user_id
    where m.organization_id = ? and m.user_id = ? order by t.created_at, t.team_id`,
}

/** Undefined for somebody who is no member. */
export const findMemberFacts = async (db: Db, organizationId: string, userId: string): Promise<MemberFacts | undefined> => {
  const rows = await readPrepared(db, facts, [organizationId, userId])
  const [first] = rows as unknown as readonly (Omit<MemberFacts, 'teams'> & { readonly team_id: string | null })[]
  if (first === undefined) return undefined
  const { team_id: _, ...rest } = first
  return { ...rest, teams: rows.flatMap((row) => (row['team_id'] === null ? [] : [String(row['team_id'])])) }
}

/** A slug never stands for another organization's id. */
export const findOwn = async (db: Db, userId: string, idOrSlug: string): Promise<OwnOrganization | undefined> =>
  db
    .knex('organization as o')
    .join('member as m', 'm.organization_id', 'o.id')
    .where('m.user_id', userId)
    .where((named) => {
      named.where('o.id', idOrSlug).orWhere((bySlug) => {
        bySlug
          .where('o.slug', idOrSlug.toLowerCase())
          .whereNotExists(db.knex('organization').where({ id: idOrSlug }).select('id'))
      })
    })
    .first('o.id', 'o.slug', 'o.name')

/** The organizations of a user, by name. */
export const listOwn = async (db: Db, userId: string): Promise<OwnOrganization[]> =>
  db
    .knex('organization as o')
    .join('member as m', 'm.organization_id', 'o.id')
    .where('m.user_id', userId)
    .select('o.id', 'o.slug', 'o.name')
    .orderByRaw('lower(o.name), o.id')
    .limit(1000)
