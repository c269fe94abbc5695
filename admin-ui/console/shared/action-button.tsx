import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import type { IconName } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { usePermission } from '../api.ts'

interface ActionButtonProps {
  /** Without it the button is shown and says who may. */
  readonly permission: InstancePermission
  /** Another reason why it cannot be done now. */
  readonly blocked?: string | undefined
  readonly kind?: 'primary' | 'secondary' | 'danger'
  readonly icon?: IconName
  readonly working?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

/** Why a change cannot be made: who may, or what stands in its way; undefined when nothing does. */
export const useRefusal = (permission: InstancePermission, blocked: string | undefined): string | undefined => {
  const { t, list } = useI18n()
  const { isAllowed, roles } = usePermission(permission)
  if (isAllowed) return blocked
  return roles.length === 0
    ? t('console.denied.nobody', { permission })
    : t('console.denied.action', { permission, roles: list(roles) })
}

/** A change. Who may not make it sees it all the same, with the reason and the roles that may. */
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
