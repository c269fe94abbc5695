import type { Knex } from 'knex'

/** Invitations whose inviter has left the organization or was deleted: nobody could accept them, and they were pending until they expired. */
export const up = async (knex: Knex): Promise<void> => {
  await knex('invitation')
    .where({ status: 'pending', by_operator: false })
    .whereNotExists((rows) =>
      rows
        .select(knex.raw('1'))
        .from('member as m')
        .whereRaw('m.organization_id = invitation.organization_id and m.user_id = invitation.inviter_id'),
    )
    .update({ status: 'canceled' })
}

/** They stay canceled: which of them were is not known. */
export const down = async (): Promise<void> => undefined
