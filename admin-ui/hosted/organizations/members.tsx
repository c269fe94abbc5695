import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { memberContract } from '../../../src/organizations/members/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Avatar, Badge, Button } from '../../shared/ui.tsx'
import { Confirm } from '../account/confirm.tsx'
import { useAccount } from '../account/context.ts'
import { EmptyState } from '../account/empty-state.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useOrganization } from './context.ts'
import { Announcement, Pager, pageSize, Search } from './paging.tsx'
import { RoleBadges, RoleChoice, rolesOf } from './roles.tsx'
import { organizationPath } from './routes.ts'
import { RowMenu } from './row-menu.tsx'
import { Seats } from './seats.tsx'
import { TabHeading } from './tabs.tsx'

export type Member = Answer<WireApi<typeof memberContract>['listMembers']>['members'][number]

interface MemberRowProps {
  readonly member: Member
  readonly children?: ReactNode
}

/** A person in a list of members. */
export const MemberRow = ({ member: { userId, user, role }, children }: MemberRowProps) => {
  const { t } = useI18n()
  const isMe = useAccount().user.id === userId
  return (
    <li className="row">
      <Avatar name={user.name} />
      <span className="row-text">
        <span className="row-title">
          {user.name}
          {isMe ? <Badge tone="new">{t('members.you')}</Badge> : null}
          <RoleBadges role={role} />
        </span>
        <span className="row-detail">
          <span className="break">{user.email}</span>
        </span>
      </span>
      {children}
    </li>
  )
}

interface RolesDialogProps {
  readonly member: Member
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}

/** Gives a member other roles. Those one may not give are offered only where the member has them: to keep or to take. */
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

export const MembersTab = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { user } = useAccount()
  const { organization, member: own, ownerRole, can, canManage, reload: reloadHere } = useOrganization()
  const [{ search, offset }, setAt] = useState({ search: '', offset: 0 })
  const members = useLoader(
    () =>
      api.of(memberContract).listMembers({
        query: { organizationId: organization.id, limit: pageSize, offset, ...(search === '' ? {} : { search }) },
      }),
    `${offset} ${search}`,
  )
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const [removing, setRemoving] = useState<Member>()
  const [changing, setChanging] = useState<Member>()
  const [nextOwner, setNextOwner] = useState<Member>()
  const isPageGone = members.value?.members.length === 0 && offset > 0
  useEffect(() => {
    if (isPageGone) setAt((at) => ({ ...at, offset: Math.max(0, at.offset - pageSize) }))
  }, [isPageGone])

  const remove = ({ id, user: { name } }: Member) => {
    setRemoving(undefined)
    run(
      id,
      async () => {
        await api.of(memberContract).removeMember({ body: { memberIdOrEmail: id, organizationId: organization.id } })
        await Promise.all([members.reload(), reloadHere()])
      },
      t('members.removed', { name }),
    )
  }
  const handOver = ({ id, user: { name } }: Member) => {
    setNextOwner(undefined)
    run(
      id,
      async () => {
        await api.of(memberContract).transferOwnership({ body: { memberId: id, organizationId: organization.id } })
        await Promise.all([members.reload(), reloadHere()])
      },
      t('members.transferred', { name }),
    )
  }
  const actionsOf = (member: Member) => {
    if (!canManage(member.role)) return []
    const { name } = member.user
    const change = { label: t('members.change'), name: t('members.changeName', { name }), onSelect: () => setChanging(member) }
    const takeOut = { label: t('members.remove'), name: t('members.removeName', { name }), onSelect: () => setRemoving(member) }
    const give = { label: t('members.transfer'), name: t('members.transferName', { name }), onSelect: () => setNextOwner(member) }
    const mayGive = rolesOf(own.role).includes(ownerRole) && !rolesOf(member.role).includes(ownerRole)
    return [
      ...(can('member', 'update') ? [change] : []),
      ...(mayGive && member.userId !== user.id ? [give] : []),
      ...(can('member', 'delete') && member.userId !== user.id ? [takeOut] : []),
    ]
  }
  const changed = async ({ userId, user: { name } }: Member) => {
    await Promise.all([members.reload(), userId === user.id ? reloadHere() : undefined])
    setChanging(undefined)
    outcome.showSuccess(t('members.rolesSaved', { name }))
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
        <Search label={t('members.search')} onSearch={(text) => setAt({ search: text, offset: 0 })} />
        <Loaded of={members} rows={3}>
          {({ members: list, total }) => (
            <>
              <Announcement>{search === '' ? '' : t('members.count', { count: total })}</Announcement>
              {list.length === 0 ? (
                <EmptyState icon="search" title={t('members.noneFound')} text={t('members.noneFoundText')} />
              ) : null}
              <ul className="rows">
                {list.map((member) => (
                  <MemberRow key={member.id} member={member}>
                    <RowMenu of={member.user.name} actions={actionsOf(member)} working={busy === member.id} />
                  </MemberRow>
                ))}
              </ul>
              {total === 1 && search === '' ? <p className="quiet rows-foot">{t('members.onlyYou')}</p> : null}
              <Pager
                offset={offset}
                shown={list.length}
                hasMore={offset + list.length < total}
                total={total}
                onGo={(next) => setAt({ search, offset: next })}
              />
            </>
          )}
        </Loaded>
      </Panel>
      {removing === undefined ? null : (
        <Confirm
          title={t('members.removeTitle', { name: removing.user.name })}
          text={t('members.removeText')}
          action={t('members.remove')}
          onConfirm={() => remove(removing)}
          onCancel={() => setRemoving(undefined)}
        />
      )}
      {nextOwner === undefined ? null : (
        <Confirm
          title={t('members.transferTitle', { name: nextOwner.user.name })}
          text={t('members.transferText', { name: nextOwner.user.name })}
          action={t('members.transferSubmit')}
          onConfirm={() => handOver(nextOwner)}
          onCancel={() => setNextOwner(undefined)}
        />
      )}
      {changing === undefined ? null : (
        <RolesDialog member={changing} onDone={() => changed(changing)} onClose={() => setChanging(undefined)} />
      )}
    </>
  )
}
