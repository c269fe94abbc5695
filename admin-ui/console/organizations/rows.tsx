/** How the console draws the rows of an organization's lists of members, teams and invitations. */
import { Link } from 'react-router'
import type { Area } from '../../shared/organizations/panels.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Time } from '../shared/time.tsx'
import { CopyLink } from './panels/copy-link.tsx'
import { RoleBadges } from './parts.tsx'

const Actions: Area['Actions'] = ({ of, actions }) =>
  actions.length === 0 ? null : (
    <span className="panel-actions">
      {actions.map(({ label, name, blocked, copies, onSelect }) =>
        copies === undefined ? (
          <ActionButton key={name} permission="all-organizations:update" blocked={blocked} onClick={onSelect}>
            {label}
            <span className="visually-hidden">{name.slice(label.length)}</span>
          </ActionButton>
        ) : (
          <CopyLink key={name} link={copies} email={of} />
        ),
      )}
    </span>
  )

const Person: Area['Person'] = ({ userId, name }) =>
  useConsole().screens.has('/admin/users') ? <Link to={`/admin/users/${encodeURIComponent(userId)}`}>{name}</Link> : name

const since = (at: string) => (
  <>
    {' · '}
    <Time at={at} />
  </>
)

export const consoleArea: Area = { Actions, Person, RoleBadges, since }
