import type { EventType } from '../events/parse.ts'
import { sortableTime } from '../events/time.ts'

/** The delivery that brought an event: its row in the inbox. */
export interface DeliveryRef {
  readonly id: string
  readonly webhookId: string
  readonly receivedAt: Date
}

export interface Stamped {
  readonly created_at: string
  readonly modified_at: string | null
}

/** A copy inside another entity says less than the entity's own event of the same time. */
export const embeddedRank = 0

const rankOfAction: Readonly<Record<string, number>> = {
  created: 1,
  canceled: 3,
  revoked: 4,
  refunded: 4,
  deleted: 4,
  expired: 4,
}

/** Which of two events with the same `modified_at` says more: what ends something wins (billing-events.md, section 9). */
export const rankOf = (type: EventType): number => rankOfAction[type.split('.')[1] ?? ''] ?? 2

/** When this version of an entity was made. */
export const stampOf = ({ created_at, modified_at }: Stamped): string => sortableTime(modified_at ?? created_at)

/**
 * Orders all versions of one entity as plain text: what is final (deleted) before all else, then the platform's time, then the kind of
 * event. Names of the delivery make the order total, so that the projection is a maximum and no order of arrival matters. ASCII only:
 * JavaScript and both databases compare it alike.
 */
export const versionOf = (stamp: string, rank: number, isFinal: boolean, { id, webhookId }: DeliveryRef): string =>
  `${isFinal ? 1 : 0}|${stamp}|${rank}|${webhookId.replace(/[^\x20-\x7e]/g, '?')}|${id}`

const stampLength = 27

/** The time in a version. */
export const stampIn = (version: string): string => version.slice(2, 2 + stampLength)
