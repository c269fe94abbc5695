import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import type { IconName } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { usePermission } from '../api.ts'

interface ActionButtonProps {
  /** Without this permission the button is disabled and shows who has the permission. */
  readonly permission: InstancePermission
  /** Another reason why the action is impossible now. */
  readonly blocked?: string | undefined
  readonly kind?: 'primary' | 'secondary' | 'danger'
  readonly icon?: IconName
  readonly working?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

/**
 * Why a change is impossible: the person lacks the permission, which names the roles with it, or there is another obstacle. Undefined for
 * a possible change.
 */
export const useRefusal = (permission: InstancePermission, blocked: string | undefined): string | undefined => {
  const { t, list } = useI18n()
  const { isAllowed, roles } = usePermission(permission)
  if (isAllowed) return blocked
  return roles.length === 0
    ? t('console.denied.nobody', { permission })
    : t('console.denied.action', { permission, roles: list(roles) })
}

/** The button of a change. People without the permission see it, too, with the reason and the roles that have the permission. */
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
