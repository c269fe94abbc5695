import { z } from 'zod'
import { defineEvents } from '../core/events/types.ts'

const values = z.record(z.string(), z.union([z.string(), z.boolean()]))

export const organizationEvents = defineEvents({
  'organization.created': {
    summary: 'An organization was created.',
    subject: 'organization',
    data: z.object({ ownerId: z.string().nullable() }),
  },
  'organization.updated': {
    summary: 'Name, slug, logo or metadata of an organization changed, or whether it requires a second factor.',
    subject: 'organization',
    data: z.object({
      fields: z.array(z.string()).describe('names of the sent fields'),
      before: values.describe('former name, slug and requiresSecondFactor, where they changed'),
      after: values.describe('the new ones, where they changed'),
    }),
  },
  'organization.deleted': {
    summary: 'An organization was deleted, with all that belongs to it. Recorded while the row is locked and still there.',
    subject: 'organization',
    data: z.object({}),
  },
  'member.added': {
    summary: 'A user became a member of an organization.',
    subject: 'user',
    data: z.object({ memberId: z.string(), role: z.string() }),
  },
  'member.removed': {
    summary: 'A member left an organization or was removed from it by the actor.',
    subject: 'user',
    data: z.object({ memberId: z.string() }),
  },
  'member.role_changed': {
    summary: 'A member has other roles in an organization.',
    subject: 'user',
    data: z.object({ memberId: z.string(), role: z.string(), formerRole: z.string() }),
  },
  'invitation.created': {
    summary: 'A person was invited to an organization, or invited again.',
    subject: 'invitation',
    data: z.object({ role: z.string(), isRenewed: z.boolean() }),
  },
  'invitation.accepted': {
    summary: 'An invitation was accepted.',
    subject: 'invitation',
    data: z.object({ memberId: z.string() }),
  },
  'invitation.rejected': { summary: 'An invited person rejected the invitation.', subject: 'invitation', data: z.object({}) },
  'invitation.canceled': { summary: 'An invitation was canceled.', subject: 'invitation', data: z.object({}) },
  'team.created': { summary: 'A team was created.', subject: 'team', data: z.object({}) },
  'team.updated': { summary: 'A team has another name.', subject: 'team', data: z.object({}) },
  'team.deleted': { summary: 'A team was deleted.', subject: 'team', data: z.object({}) },
  'team.member_added': { summary: 'A member came into a team.', subject: 'team', data: z.object({ userId: z.string() }) },
  'team.member_removed': {
    summary: 'A member was removed from a team.',
    subject: 'team',
    data: z.object({ userId: z.string() }),
  },
})
