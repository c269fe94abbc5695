import { expect, test } from 'vitest'
import { allowsAll, canAssign, canManage, createRoleTable, resources } from '../../src/organizations/rules.ts'

const roles = (...names: string[]) => new Set(names)

test('a role cannot assign the creator role, even with the same permissions', () => {
  const table = createRoleTable('owner', { admin: resources })
  for (const theirs of [roles('owner'), roles('member', 'owner')]) {
    expect([canManage(table, roles('admin'), theirs), canAssign(table, roles('admin'), theirs)]).toEqual([false, false])
    expect([canManage(table, roles('owner'), theirs), canAssign(table, roles('owner'), theirs)]).toEqual([true, true])
  }
  expect(canManage(table, roles('admin'), roles('admin'))).toBe(true)
})

test('`grants` names the roles that may assign a role, and never lets a member assign more than their own permissions', () => {
  const table = createRoleTable('owner', {
    hr: { member: ['update'] },
    payroll_admin: { grants: ['hr'] },
    treasurer: { billing: ['read'], grants: ['hr'] },
    recruiter: { invitation: ['create'] },
    admin: { ...resources, grants: [] },
  })
  const may = (mine: string, given: string) => canAssign(table, roles(mine), roles(given))
  expect([may('hr', 'payroll_admin'), may('payroll_admin', 'payroll_admin'), may('owner', 'payroll_admin')]).toEqual(
    Array(3).fill(true),
  )
  expect([may('admin', 'payroll_admin'), may('member', 'payroll_admin'), may('hr', 'treasurer')]).toEqual(Array(3).fill(false))
  // A role with permissions is compared by them, unless a list says otherwise.
  expect([may('admin', 'recruiter'), may('admin', 'member'), may('admin', 'treasurer'), may('hr', 'admin')]).toEqual([
    ...[true, true, false, false],
  ])
  expect(canAssign(table, roles('admin'), roles('payroll_admin', 'member'), roles('payroll_admin'))).toBe(true)
  expect(allowsAll(table, roles('payroll_admin'), { grants: ['hr'] })).toBe(false)
})
