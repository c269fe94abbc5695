/**
 * The lists of an organization's members, teams and invitations: one set for the account area, whose calls are those of a member, and for the console,
 * whose calls are those of an administrator. Each area gives them its calls, permissions and texts.
 */
import type { ComponentType, ReactNode } from 'react'
import { createContext, use, useState } from 'react'
import { Avatar, Badge } from '../ui.tsx'

/** `owner,admin` means two roles. */
export const rolesOf = (role: string): readonly string[] => role.split(',').filter((name) => name !== '')

export interface RowAction {
  readonly label: string
  /** The action and its object; begins with the label. */
  readonly name: string
  /** Why it cannot be done now. */
  readonly blocked?: string | undefined
  /** The text that it copies, where that is all it does. */
  readonly copies?: string
  readonly onSelect: () => void
}

export interface RowActionsProps {
  /** The object of the actions. */
  readonly of: string
  readonly actions: readonly RowAction[]
  readonly working: boolean
}

/** The parts of rows that each area draws in its own way. */
export interface Area {
  readonly Actions: ComponentType<RowActionsProps>
  readonly Person: ComponentType<{ readonly userId: string; readonly name: string }>
  readonly RoleBadges: ComponentType<{ readonly role: string }>
  /** Behind an address: since when somebody is a member. */
  readonly since?: (at: string) => ReactNode
}

export const AreaContext = createContext<Area | undefined>(undefined)

const useArea = (): Area => {
  const area = use(AreaContext)
  if (area === undefined) throw new Error('a list of an organization outside of AreaContext')
  return area
}

interface ListProps<Row, Dialog> {
  /** Loads the rows and shows them page by page, each as `row` draws it; `open` opens a dialog over the list. */
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
  /** Teams have no roles. */
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

/** The page of an invitation. Without the token of the mail it proves no address: it asks for a sign-in with the invited one. */
export const invitationLink = ({ id }: { readonly id: string }): string => `${location.origin}/invitation/${id}`

interface InvitationsPanelProps<I, Dialog> extends ListProps<I, Dialog> {
  readonly partsOf: (invitation: I, state: InvitationState) => { readonly state: string } & Omit<RowProps, 'children'>
  readonly can: (action: Action, invitation: I) => boolean
  readonly textOf: (action: Action, invitation: I) => Pick<RowAction, 'label' | 'name'>
  readonly on: (action: Action, invitation: I, open: Open<Dialog>) => void
}

/** The people who were invited to an organization, and what became of each invitation. */
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
