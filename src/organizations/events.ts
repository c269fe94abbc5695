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
    summary: 'The name, slug, logo or metadata of an organization was changed, or whether it requires a second factor.',
    subject: 'organization',
    data: z.object({
      fields: z.array(z.string()).describe('names of the fields in the call'),
      before: values.describe('former name, slug and requiresSecondFactor, if they were changed'),
      after: values.describe('the new values of these'),
    }),
  },
  'organization.deleted': {
    summary: 'An organization was deleted, with everything that belongs to it. The event is recorded just before the deletion.',
    subject: 'organization',
    data: z.object({}),
  },
  'member.added': {
    summary: 'A user became a member of an organization.',
    subject: 'user',
    data: z.object({ memberId: z.string(), role: z.string() }),
  },
  'member.removed': {
    summary: 'A member left an organization, or the actor removed the member.',
    subject: 'user',
    data: z.object({ memberId: z.string() }),
  },
  'member.role_changed': {
    summary: 'A member got other roles in an organization.',
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
  'team.updated': { summary: 'A team was renamed.', subject: 'team', data: z.object({}) },
  'team.deleted': { summary: 'A team was deleted.', subject: 'team', data: z.object({}) },
  'team.member_added': { summary: 'A member was added to a team.', subject: 'team', data: z.object({ userId: z.string() }) },
  'team.member_removed': {
    summary: 'A member was removed from a team.',
    subject: 'team',
    data: z.object({ userId: z.string() }),
  },
})
