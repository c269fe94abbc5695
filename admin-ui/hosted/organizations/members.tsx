import { useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { memberContract } from '../../../src/organizations/members/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { MembersPanel, rolesOf } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Confirm } from '../account/confirm.tsx'
import { useAccount } from '../account/context.ts'
import { EmptyState } from '../account/empty-state.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useOrganization } from './context.ts'
import { Announcement, PagedRows, Search, usePage } from './paging.tsx'
import { RoleChoice } from './roles.tsx'
import { organizationPath } from './routes.ts'
import { Seats } from './seats.tsx'
import { TabHeading } from './tabs.tsx'

export type Member = Answer<WireApi<typeof memberContract>['listMembers']>['members'][number]

interface RolesDialogProps {
  readonly member: Member
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}

/**
 * A dialog that changes the roles of a member. If the member already has a role that the person may not assign, the role is offered, so
 * that the person can keep or remove it.
 */
const RolesDialog = ({ member, onDone, onClose }: RolesDialogProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization, roles, assignableRoles } = useOrganization()
  const assigned = rolesOf(member.role)
  const offered = roles.map(({ name }) => name).filter((name) => assignableRoles.includes(name) || assigned.includes(name))
  const [isNone, setNone] = useState(false)
  const form = useForm({
    api,
    fields: [],
    check: () => ({}),
    submit: async (_, data) => {
      const role = data.getAll('role').map(String)
      setNone(role.length === 0)
      if (role.length === 0) return 'done'
      await api.of(memberContract).updateMemberRole({ body: { memberId: member.id, role, organizationId: organization.id } })
      await onDone()
      return 'leaving'
    },
  })
  return (
    <Dialog title={t('members.rolesOf', { name: member.user.name })} onClose={onClose}>
      <Form state={form} working={t('common.saving')}>
        <RoleChoice roles={offered} assigned={assigned} />
        <p className="field-error choices-error" role="alert">
          {isNone ? t('members.rolesNone') : ''}
        </p>
        <div className="dialog-actions">
          <Button kind="secondary" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" working={form.pending}>
            {t('common.save')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

interface Open {
  readonly kind: 'roles' | 'remove' | 'transfer'
  readonly member: Member
}

export const MembersTab = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { user } = useAccount()
  const { organization, member: own, ownerRole, can, canManage, reload: reloadHere } = useOrganization()
  const organizationId = organization.id
  const [search, setSearch] = useState('')
  const page = usePage(async (query) => {
    const given = search === '' ? {} : { search }
    const { members, total } = await api.of(memberContract).listMembers({ query: { organizationId, ...query, ...given } })
    return { rows: members, total }
  }, search)
  const total = page.value?.total ?? 0
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const reload = () => Promise.all([page.reload(), reloadHere()])

  const remove = ({ id, user: { name } }: Member) =>
    run(
      id,
      async () => {
        await api.of(memberContract).removeMember({ body: { memberIdOrEmail: id, organizationId } })
        await reload()
      },
      t('members.removed', { name }),
    )
  const handOver = ({ id, user: { name } }: Member) =>
    run(
      id,
      async () => {
        await api.of(memberContract).transferOwnership({ body: { memberId: id, organizationId } })
        await reload()
      },
      t('members.transferred', { name }),
    )
  const actionsOf = (member: Member, open: (dialog: Open) => void) => {
    if (!canManage(member.role)) return []
    const { name } = member.user
    const opening = (kind: Open['kind']) => ({ onSelect: () => open({ kind, member }) })
    const change = { label: t('members.change'), name: t('members.changeName', { name }), ...opening('roles') }
    const takeOut = { label: t('members.remove'), name: t('members.removeName', { name }), ...opening('remove') }
    const give = { label: t('members.transfer'), name: t('members.transferName', { name }), ...opening('transfer') }
    const mayGive = rolesOf(own.role).includes(ownerRole) && !rolesOf(member.role).includes(ownerRole)
    return [
      ...(can('member', 'update') ? [change] : []),
      ...(mayGive && member.userId !== user.id ? [give] : []),
      ...(can('member', 'delete') && member.userId !== user.id ? [takeOut] : []),
    ]
  }
  const dialogOf = ({ kind, member }: Open, onClose: () => void) => {
    const { name } = member.user
    if (kind === 'roles') {
      const changed = async () => {
        await Promise.all([page.reload(), member.userId === user.id ? reloadHere() : undefined])
        onClose()
        outcome.showSuccess(t('members.rolesSaved', { name }))
      }
      return <RolesDialog member={member} onDone={changed} onClose={onClose} />
    }
    const words =
      kind === 'remove'
        ? { title: t('members.removeTitle', { name }), text: t('members.removeText'), action: t('members.remove') }
        : {
            ...{ title: t('members.transferTitle', { name }), text: t('members.transferText', { name }) },
            action: t('members.transferSubmit'),
          }
    const confirm = () => {
      onClose()
      if (kind === 'remove') remove(member)
      else handOver(member)
    }
    return <Confirm {...words} onConfirm={confirm} onCancel={onClose} />
  }
  return (
    <>
      <TabHeading
        title={t('org.members')}
        lead={t('members.lead')}
        action={
          can('invitation', 'create') ? (
            <AccountLink path={organizationPath(organization.slug, 'invitations')} className="button button-primary">
              {t('invite.submit')}
            </AccountLink>
          ) : undefined
        }
      />
      <Seats />
      <OutcomeNotice of={outcome} />
      <Panel>
        <Search label={t('members.search')} onSearch={setSearch} />
        <Announcement>{search === '' || page.value === undefined ? '' : t('members.count', { count: total })}</Announcement>
        <MembersPanel<Member, Open>
          list={(row) => (
            <PagedRows
              of={page}
              room={3}
              row={row}
              empty={<EmptyState icon="search" title={t('members.noneFound')} text={t('members.noneFoundText')} />}
              foot={total === 1 && search === '' ? <p className="quiet rows-foot">{t('members.onlyYou')}</p> : null}
            />
          )}
          actionsOf={actionsOf}
          busy={busy}
          dialogOf={dialogOf}
        />
      </Panel>
    </>
  )
}
