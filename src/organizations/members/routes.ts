import { bind } from '../../http/handlers.ts'
import { memberContract } from './contract.ts'
import type { Members } from './service.ts'

export const memberRoutes = (members: Members) =>
  bind(memberContract, {
    listMembers: (caller, { query }) => members.list(caller, query),
    removeMember: async (caller, { body }) => ({ member: await members.remove(caller, body) }),
    updateMemberRole: (caller, { body }) => members.updateRole(caller, body),
    getActiveMember: (caller, { query }) => members.find(caller, query),
    getActiveMemberRole: async (caller, { query }) => ({ role: await members.roleOf(caller, query) }),
    leaveOrganization: (caller, { body }) => members.leave(caller, body.organizationId),
    hasPermission: async (caller, { body }) => ({ error: null, success: await members.may(caller, body) }),
  })
