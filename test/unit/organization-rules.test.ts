import { expect, test } from 'vitest'
import { allowsAll, createRoleTable, mayGive, mayHandle, resources } from '../../src/organizations/rules.ts'

const roles = (...names: string[]) => new Set(names)

test('the creator role is out of reach of a role that allows as much', () => {
  const table = createRoleTable('owner', { admin: resources })
  for (const theirs of [roles('owner'), roles('member', 'owner')]) {
    expect([mayHandle(table, roles('admin'), theirs), mayGive(table, roles('admin'), theirs)]).toEqual([false, false])
    expect([mayHandle(table, roles('owner'), theirs), mayGive(table, roles('owner'), theirs)]).toEqual([true, true])
  }
  expect(mayHandle(table, roles('admin'), roles('admin'))).toBe(true)
})

test('a list `grants` says who gives a role, permits nothing by itself and gives nobody more than they may do', () => {
  const table = createRoleTable('owner', {
    hr: { member: ['update'] },
    payroll_admin: { grants: ['hr'] },
    treasurer: { billing: ['read'], grants: ['hr'] },
    recruiter: { invitation: ['create'] },
    admin: { ...resources, grants: [] },
  })
  const may = (mine: string, given: string) => mayGive(table, roles(mine), roles(given))
  expect([may('hr', 'payroll_admin'), may('payroll_admin', 'payroll_admin'), may('owner', 'payroll_admin')]).toEqual(
    Array(3).fill(true),
  )
  expect([may('admin', 'payroll_admin'), may('member', 'payroll_admin'), may('hr', 'treasurer')]).toEqual(Array(3).fill(false))
  // A role that allows something goes by what it allows, unless a list says otherwise.
  expect([may('admin', 'recruiter'), may('admin', 'member'), may('admin', 'treasurer'), may('hr', 'admin')]).toEqual([
    ...[true, true, false, false],
  ])
  expect(mayGive(table, roles('admin'), roles('payroll_admin', 'member'), roles('payroll_admin'))).toBe(true)
  expect(allowsAll(table, roles('payroll_admin'), { grants: ['hr'] })).toBe(false)
})
