/**
 * The lists of an organization's members, teams and invitations. The account area and the console share them. The account area makes the
 * calls of a member, and the console makes the calls of an administrator. Each area provides its calls, permissions and texts.
 */
import type { ComponentType, ReactNode } from 'react'
import { createContext, use, useState } from 'react'
import { Avatar, Badge } from '../ui.tsx'

/** Splits a text such as `owner,admin` into its roles. */
export const rolesOf = (role: string): readonly string[] => role.split(',').filter((name) => name !== '')

export interface RowAction {
  readonly label: string
  /** The accessible name: the action and its object. It begins with the label. */
  readonly name: string
  /** Why the action is impossible now. */
  readonly blocked?: string | undefined
  /** The text to copy, for an action that only copies. */
  readonly copies?: string
  readonly onSelect: () => void
}

export interface RowActionsProps {
  /** The name of the thing that the actions are about. */
  readonly of: string
  readonly actions: readonly RowAction[]
  readonly working: boolean
}

/** The parts of rows that each area draws in its own way. */
export interface Area {
  readonly Actions: ComponentType<RowActionsProps>
  readonly Person: ComponentType<{ readonly userId: string; readonly name: string }>
  readonly RoleBadges: ComponentType<{ readonly role: string }>
  /** Text beside the address that says since when the person is a member. */
  readonly since?: (at: string) => ReactNode
}

export const AreaContext = createContext<Area | undefined>(undefined)

const useArea = (): Area => {
  const area = use(AreaContext)
  if (area === undefined) throw new Error('a list of an organization outside of AreaContext')
  return area
}

interface ListProps<Row, Dialog> {
  /** Loads the rows and shows them page by page. `row` renders a row, and `open` opens a dialog over the list. */
  readonly list: (row: (row: Row) => ReactNode, open: (dialog: Dialog) => void) => ReactNode
  readonly dialogOf?: (dialog: Dialog, onClose: () => void) => ReactNode
  /** The id of the row whose change is being made. */
  readonly busy?: string | undefined
}

type Open<Dialog> = (dialog: Dialog) => void

interface ListPanelProps<Row, Dialog> extends ListProps<Row, Dialog> {
  readonly row: (row: Row, open: Open<Dialog>) => ReactNode
}

const ListPanel = <Row, Dialog>({ list, dialogOf, row }: ListPanelProps<Row, Dialog>) => {
  const [dialog, setDialog] = useState<{ readonly of: Dialog }>()
  const open = (of: Dialog) => setDialog({ of })
  return (
    <>
      {list((one) => row(one, open), open)}
      {dialog === undefined ? null : dialogOf?.(dialog.of, () => setDialog(undefined))}
    </>
  )
}

interface RowProps {
  readonly mark?: ReactNode
  readonly title: ReactNode
  readonly details: ReactNode
  readonly children?: ReactNode
}

const Row = ({ mark, title, details, children }: RowProps) => (
  <>
    {mark}
    <span className="row-text">
      <span className="row-title">{title}</span>
      <span className="row-detail">{details}</span>
    </span>
    {children}
  </>
)

interface Member {
  readonly id: string
  readonly userId: string
  readonly user: { readonly name: string; readonly email: string }
  /** Roles of the member. Absent in teams, which have no roles. */
  readonly role?: string
  readonly createdAt: string
}

interface MemberRowProps {
  readonly member: Member
  readonly children: ReactNode
}

/** A member in a list. */
export const MemberRow = ({ member: { userId, user, role, createdAt }, children }: MemberRowProps) => {
  const { Person, RoleBadges, since } = useArea()
  const title = (
    <>
      <Person userId={userId} name={user.name} />
      {role === undefined ? null : <RoleBadges role={role} />}
    </>
  )
  const details = (
    <>
      <span className="break">{user.email}</span>
      {since?.(createdAt)}
    </>
  )
  return (
    <Row mark={<Avatar name={user.name} />} title={title} details={details}>
      {children}
    </Row>
  )
}

interface MembersPanelProps<M, Dialog> extends ListProps<M, Dialog> {
  readonly actionsOf: (member: M, open: Open<Dialog>) => readonly RowAction[]
}

/** The members of an organization or of a team. */
export const MembersPanel = <M extends Member, Dialog = never>({ actionsOf, ...panel }: MembersPanelProps<M, Dialog>) => {
  const { Actions } = useArea()
  const row = (member: M, open: Open<Dialog>) => (
    <MemberRow member={member}>
      <Actions of={member.user.name} actions={actionsOf(member, open)} working={panel.busy === member.id} />
    </MemberRow>
  )
  return <ListPanel {...panel} row={row} />
}

interface TeamsPanelProps<T, Dialog> extends ListProps<T, Dialog> {
  readonly partsOf: (team: T) => RowProps
}

/** The teams of an organization; each leads to its own page. */
export const TeamsPanel = <T, Dialog = never>({ partsOf, ...panel }: TeamsPanelProps<T, Dialog>) => (
  <ListPanel {...panel} row={(team) => <Row {...partsOf(team)} />} />
)

/** Colours of the states of an invitation. */
export const invitationTones = {
  pending: 'new',
  expired: 'warn',
  accepted: 'good',
  rejected: 'plain',
  canceled: 'plain',
} as const
export type InvitationState = keyof typeof invitationTones

interface Invitation {
  readonly id: string
  readonly email: string
  readonly status: InvitationState
  readonly expiresAt: string
}

const stateOf = ({ status, expiresAt }: Invitation): InvitationState =>
  status === 'pending' && Date.parse(expiresAt) <= Date.now() ? 'expired' : status

type Action = 'copy' | 'resend' | 'cancel'
const actionsIn = (state: InvitationState): readonly Action[] =>
  state === 'pending' ? ['copy', 'resend', 'cancel'] : state === 'expired' ? ['resend', 'cancel'] : []

/**
 * The address of the page of an invitation. It lacks the mail's token, so it verifies no address, and the page asks people to sign in
 * with the invited address.
 */
export const invitationLink = ({ id }: { readonly id: string }): string => `${location.origin}/invitation/${id}`

interface InvitationsPanelProps<I, Dialog> extends ListProps<I, Dialog> {
  readonly partsOf: (invitation: I, state: InvitationState) => { readonly state: string } & Omit<RowProps, 'children'>
  readonly can: (action: Action, invitation: I) => boolean
  readonly textOf: (action: Action, invitation: I) => Pick<RowAction, 'label' | 'name'>
  readonly on: (action: Action, invitation: I, open: Open<Dialog>) => void
}

/** The invitations of an organization, each with its state. */
export const InvitationsPanel = <I extends Invitation, Dialog = never>({
  partsOf,
  can,
  textOf,
  on,
  ...panel
}: InvitationsPanelProps<I, Dialog>) => {
  const { Actions } = useArea()
  const row = (invitation: I, open: Open<Dialog>) => {
    const now = stateOf(invitation)
    const { state, title, ...parts } = partsOf(invitation, now)
    const { id, email } = invitation
    const heading = (
      <>
        <span className="break">{email}</span>
        <Badge tone={invitationTones[now]}>{state}</Badge>
        {title}
      </>
    )
    const possible = actionsIn(now).filter((action) => can(action, invitation))
    const actions = possible.map((action) => ({
      ...textOf(action, invitation),
      ...(action === 'copy' ? { copies: invitationLink(invitation) } : {}),
      onSelect: () => on(action, invitation, open),
    }))
    return (
      <Row {...parts} title={heading}>
        <Actions of={email} actions={actions} working={panel.busy === id} />
      </Row>
    )
  }
  return <ListPanel {...panel} row={row} />
}
