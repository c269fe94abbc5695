import { bind } from '../../http/handlers.ts'
import { memberContract } from './contract.ts'
import type { Members } from './service.ts'
import type { OwnershipTransfer } from './transfer.ts'

export const memberRoutes = (members: Members, ownership: OwnershipTransfer) =>
  bind(memberContract, {
    listMembers: (principal, { query }) => members.list(principal, query),
    removeMember: async (principal, { body }) => ({ member: await members.remove(principal, body) }),
    updateMemberRole: (principal, { body }) => members.updateRole(principal, body),
    transferOwnership: (principal, { body }) => ownership.transfer(principal, body),
    getActiveMember: (principal, { query }) => members.find(principal, query),
    getActiveMemberRole: async (principal, { query }) => ({ role: await members.roleOf(principal, query) }),
    leaveOrganization: (principal, { body }) => members.leave(principal, body.organizationId),
    hasPermission: async (principal, { body }) => ({ error: null, success: await members.may(principal, body) }),
  })
