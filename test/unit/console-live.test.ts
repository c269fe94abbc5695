import { describe, expect, test } from 'vitest'
import { isAffected, type Told, touchedByCall, touchedByEvent } from '../../admin-ui/console/live/matches.ts'

const told = (type: string, subjectId = 's1', organizationId: string | null = null): Told => ({
  ...{ id: 'e1', type, occurredAt: '2026-11-23T10:00:00.000Z', subjectType: 'user', subjectId, organizationId, requestId: 'r1' },
})

describe('the console queries that an event makes outdated', () => {
  test.each([
    ['a list of the same kind', ['/admin/users', { query: { search: 'ann' } }], told('user.created'), true],
    ['a list of another kind', ['/admin/clients', {}], told('user.created'), false],
    ['data of the person', ['/admin/users/:id/sessions', { params: { id: 's1' } }], told('session.started'), true],
    ['data without names', ['/admin/users/:id/sessions', { params: { id: 's1' } }], told('user.updated'), false],
    [
      'data of its organization',
      ['/admin/organizations/:id/members', { params: { id: 'o1' } }],
      told('member.added', 's1', 'o1'),
      true,
    ],
    ['the list of all events', ['/admin/events', { query: {} }], told('instance.pruned'), true],
    ['the events of the same subject', ['/admin/events', { query: { subject: 's1' } }], told('user.updated'), true],
    ['the events of another subject', ['/admin/events', { query: { subject: 's2' } }], told('user.updated'), false],
    ['exports, when one has ended', ['/admin/events/exports', {}], told('events.export_ended'), true],
    ['exports, when something else happens', ['/admin/events/exports', {}], told('user.updated'), false],
    ['one event', ['/admin/events/:id', { params: { id: 's1' } }], told('user.updated'), false],
    ['statistics', ['/admin/statistics', { query: {} }], told('session.started'), false],
    ['an undeclared query', ['a question of its own'], told('user.created'), true],
    ['a key without parts', [], told('user.created'), false],
  ])('an event marks exactly the affected console queries as outdated: %s', (_, queryKey, event, expected) => {
    expect(isAffected({ queryKey }, touchedByEvent(event))).toBe(expected)
  })

  test.each([
    ['another person', '/admin/users/:id', { id: 's2' }, false],
    [
      'a list with the name of the person',
      '/admin/organizations/:id/members',
      { id: 'm', user: { id: 's1', name: 'Ann' } },
      true,
    ],
    ['a list with the id of the person alone', '/admin/organizations/:id/teams', { id: 'm', userId: 's1' }, false],
  ])('a changed name of a person marks exactly the affected console queries as outdated: %s', (_, path, data, expected) => {
    const query = { queryKey: [path, { params: { id: 'x' } }], data: { rows: [data] } }
    expect(isAffected(query, touchedByEvent(told('user.updated')))).toBe(expected)
  })
})

test("the call's address, body and answer decide what a call affects, and an unknown call may affect everything", () => {
  const call = { method: 'POST', path: '/admin/organizations/:id/members' }
  const touched = touchedByCall(
    call,
    { params: { id: 'o1' }, body: { user: 'ann', userId: 'u1' } },
    { id: 'm1', teamIds: ['t1'] },
  )
  expect([...touched.ids]).toEqual(['o1', 'u1', 'm1', 't1'])
  expect(isAffected({ queryKey: ['/admin/users/:id/organizations', { params: { id: 'u1' } }] }, touched)).toBe(true)
  const other = { queryKey: ['/admin/users/:id/organizations', { params: { id: 'u2' } }], data: { organizations: [] } }
  expect(isAffected(other, touched)).toBe(false)
  const unknown = touchedByCall({ method: 'POST', path: '/admin/nothing' }, {}, {})
  expect(isAffected({ queryKey: ['/admin/users/:id', { params: { id: 'u1' } }], data: {} }, unknown)).toBe(true)
})
