import { useState } from 'react'
import type { WireApi } from '../../../../src/http/contract.ts'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import type { Answer } from '../../../shared/api.ts'
import { rolesOf } from '../../../shared/organizations/panels.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { Confirm } from '../../shared/confirm.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useChange } from '../../shared/use-change.ts'
import type { Organization } from '../parts.tsx'
import { RoleChoice, useRoles } from '../roles.tsx'
import { useUnverified } from '../unverified.tsx'
import type { ChosenUser } from '../user-choice.tsx'
import { UserChoice } from '../user-choice.tsx'

type Member = Answer<WireApi<typeof organizationAdministrationContract>['adminGetMember']>

/** The member that a dialog is about, as loaded when the dialog opened. The change is based on this state. */
export interface OpenMember {
  readonly kind: 'roles' | 'remove'
  readonly member: Member
  readonly name: string
  readonly isOnlyOwner: boolean
}

interface OfOrganization {
  readonly organization: Organization
  readonly onClose: () => void
}
interface OfMember extends OfOrganization {
  readonly open: OpenMember
}

/** Adds a user as a member immediately, without an invitation. */
export const AddDialog = ({ organization: { id, name, slug }, onClose }: OfOrganization) => {
  const { t } = useI18n()
  const [user, setUser] = useState<ChosenUser>()
  const [roles, setRoles] = useState<readonly string[]>(['member'])
  const add = useChange(
    organizationAdministrationContract,
    'adminAddMember',
    t('organizations.memberAdded', { name: user?.name ?? '' }),
  )
  const unverified = useUnverified()
  const input = { params: { id }, body: { userId: user?.id ?? '', role: roles, ...unverified.body } }
  const choose = (chosen: ChosenUser | undefined) => {
    setUser(chosen)
    unverified.forget()
  }
  return (
    <Confirm
      title={t('organizations.addMemberTo', { name })}
      consequences={[t('organizations.addAtOnce'), t('organizations.addQuiet')]}
      action={t('organizations.addMember')}
      isDangerous={false}
      reason="optional"
      blocked={
        user === undefined ? t('organizations.userMissing') : roles.length === 0 ? t('organizations.rolesMissing') : undefined
      }
      foot={
        <ShowCall
          target={organizationAdministrationContract.adminAddMember}
          input={input}
          command={['add-member', '--org', slug, '--user', user?.email ?? '', '--role', roles.join(','), ...unverified.flags]}
        />
      }
      onConfirm={(reason) => unverified.asked(add({ ...input, reason }))}
      onClose={onClose}
    >
      <UserChoice label={t('organizations.user')} hint={t('organizations.userHint')} chosen={user} onChoose={choose} />
      <RoleChoice chosen={roles} onChoose={setRoles} />
      {unverified.field}
    </Confirm>
  )
}

/** Changes the roles of a member. The only owner of an organization has to stay an owner. */
export const RolesDialog = ({ organization: { id }, open: { member, name, isOnlyOwner }, onClose }: OfMember) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const known = useRoles()
  const [roles, setRoles] = useState(rolesOf(member.role))
  const change = useChange(organizationAdministrationContract, 'adminPatchMember', t('organizations.rolesSet', { name }))
  const unverified = useUnverified()
  const input = { params: { id, memberId: member.id }, body: { role: roles, ...unverified.body } }
  const allowed = new Set(known?.roles.filter((role) => roles.includes(role.name)).flatMap((role) => role.permissions))
  const losesOwner = isOnlyOwner && known !== undefined && !roles.includes(known.creatorRole)
  return (
    <Confirm
      title={t('organizations.rolesOf', { name })}
      consequences={[t('organizations.permissionCount', { count: allowed.size }), t('organizations.rolesAtOnce')]}
      action={t('console.form.save')}
      isDangerous={false}
      reason="optional"
      blocked={losesOwner ? t('organizations.onlyOwner') : roles.length === 0 ? t('organizations.rolesMissing') : undefined}
      foot={<ShowCall target={organizationAdministrationContract.adminPatchMember} input={input} />}
      onConfirm={(reason, _, isOverwriting) =>
        unverified.asked(change({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(member) }) }))
      }
      onClose={onClose}
    >
      <RoleChoice chosen={roles} onChoose={setRoles} />
      {unverified.field}
    </Confirm>
  )
}

/** Removes a member from the organization. */
export const RemoveDialog = ({ organization, open: { member, name }, onClose }: OfMember) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const remove = useChange(organizationAdministrationContract, 'adminRemoveMember', t('organizations.memberRemoved', { name }))
  const input = { params: { id: organization.id, memberId: member.id } }
  return (
    <Confirm
      title={t('organizations.removeFrom', { name, organization: organization.name })}
      consequences={[
        t('organizations.membersLeft', { count: Math.max(0, organization.memberCount - 1) }),
        t('organizations.removeSessions'),
        t('organizations.removeAgain'),
      ]}
      action={t('organizations.remove')}
      reason="optional"
      foot={<ShowCall target={organizationAdministrationContract.adminRemoveMember} input={input} />}
      onConfirm={(reason, _, isOverwriting) =>
        remove({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(member) }) })
      }
      onClose={onClose}
    />
  )
}
