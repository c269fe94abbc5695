import type { InstancePermission } from '../../../src/access/permissions.ts'
import { useI18n } from '../../shared/text.tsx'
import { usePermission } from '../api.ts'
import { Empty } from './empty.tsx'
import { Page } from './page.tsx'

/** Shown in place of a screen that the person may not read. It names the missing permission and the roles that have it. */
export const Denied = ({ permission }: { readonly permission: InstancePermission }) => {
  const { t, list } = useI18n()
  const { roles } = usePermission(permission)
  const text =
    roles.length === 0 ? t('console.denied.nobody', { permission }) : t('console.denied.text', { permission, roles: list(roles) })
  return (
    <Page title={t('console.denied.title')}>
      <Empty icon="lock" text={text} />
    </Page>
  )
}
