import { sha256 } from '../../core/crypto.ts'
import { isAllowed, mayGive, type RoleTable, splitRoles } from '../rules.ts'

/**
 * An invitation as a member of its organization sees it in a list. Its id lets in whoever signs up with the invited address, so those who
 * could neither have made the invitation nor may take it back see another word in its place (security baseline, section 8; decision 0052).
 */
export const asSeenBy =
  (table: RoleTable, memberRole: string) =>
  <T extends { readonly id: string; readonly role: string }>(invitation: T): T => {
    const mine = splitRoles(memberRole)
    const isAbout = isAllowed(table, mine, 'invitation', 'create') || isAllowed(table, mine, 'invitation', 'cancel')
    return isAbout && mayGive(table, mine, splitRoles(invitation.role))
      ? invitation
      : { ...invitation, id: sha256(`invitation:${invitation.id}`).slice(0, 32) }
  }
