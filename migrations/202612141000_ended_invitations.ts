import type { Knex } from 'knex'

/** Cancels pending invitations whose inviter has left the organization or was deleted. Nobody can accept such an invitation. */
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

/** The invitations stay canceled, because it is not known which ones this migration has canceled. */
export const down = async (): Promise<void> => undefined
