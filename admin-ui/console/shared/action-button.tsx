import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import type { IconName } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { usePermission } from '../api.ts'

interface ActionButtonProps {
  /** The permission that the action needs. For a person without it, the button is disabled and shows which roles have the permission. */
  readonly permission: InstancePermission
  /** Why the action is impossible now, for a reason other than a missing permission. */
  readonly blocked?: string | undefined
  readonly kind?: 'primary' | 'secondary' | 'danger'
  readonly icon?: IconName
  readonly working?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

/**
 * Why a change is impossible. If the person lacks the permission, the text names the roles that have it; otherwise it is `blocked`.
 * Undefined if the change is possible.
 */
export const useRefusal = (permission: InstancePermission, blocked: string | undefined): string | undefined => {
  const { t, list } = useI18n()
  const { isAllowed, roles } = usePermission(permission)
  if (isAllowed) return blocked
  return roles.length === 0
    ? t('console.denied.nobody', { permission })
    : t('console.denied.action', { permission, roles: list(roles) })
}

/** A button for a change. For people without the permission it is disabled, and shows which roles have the permission. */
export const ActionButton = ({
  permission,
  blocked,
  kind = 'secondary',
  icon,
  working,
  onClick,
  children,
}: ActionButtonProps) => {
  const reason = useRefusal(permission, blocked)
  const button = (
    <Button
      kind={kind}
      blocked={reason !== undefined}
      onClick={onClick}
      {...(icon === undefined ? {} : { icon })}
      {...(working === undefined ? {} : { working })}
    >
      {children}
      {reason === undefined ? null : <span className="visually-hidden">. {reason}</span>}
    </Button>
  )
  return reason === undefined ? (
    button
  ) : (
    <Tooltip label={reason}>
      <span className="action-blocked">{button}</span>
    </Tooltip>
  )
}
