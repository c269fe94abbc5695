import { describe, expect, test } from 'vitest'
import { isAffected, type Told } from '../../admin-ui/console/live/matches.ts'

const told = (type: string, subjectId = 's1', organizationId: string | null = null): Told => ({
  ...{ id: 'e1', type, occurredAt: '2026-11-23T10:00:00.000Z', subjectType: 'user', subjectId, organizationId },
})

describe('which answers an event makes outdated', () => {
  test.each([
    ['a list of the kind', ['/admin/users', { query: { search: 'ann' } }], told('user.created'), true],
    ['a list of another kind', ['/admin/clients', {}], told('user.created'), false],
    ['what is kept of the person', ['/admin/users/:id/sessions', { params: { id: 's1' } }], told('session.started'), true],
    ['what is kept of another person', ['/admin/users/:id', { params: { id: 's2' } }], told('user.banned'), false],
    [
      'what belongs to its organization',
      ['/admin/organizations/:id/members', { params: { id: 'o1' } }],
      told('member.added', 's1', 'o1'),
      true,
    ],
    ['the list of all events', ['/admin/events', { query: {} }], told('instance.pruned'), true],
    ['the events of the same subject', ['/admin/events', { query: { subject: 's1' } }], told('user.updated'), true],
    ['the events of another subject', ['/admin/events', { query: { subject: 's2' } }], told('user.updated'), false],
    ['exports, when one has ended', ['/admin/events/exports', {}], told('events.export_ended'), true],
    ['exports, when something else happens', ['/admin/events/exports', {}], told('events.exported'), false],
    ['one event', ['/admin/events/:id', { params: { id: 's1' } }], told('user.updated'), false],
    ['numbers of days', ['/admin/statistics', { query: {} }], told('session.started'), false],
    ['the checks', ['/admin/health', {}], told('mail.given_up'), false],
    ['what is no call', ['a question of its own'], told('user.created'), false],
    ['a key without parts', [], told('user.created'), false],
  ])('%s', (_, queryKey, event, expected) => {
    expect(isAffected(queryKey, [event])).toBe(expected)
  })
})
