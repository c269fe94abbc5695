/** How the account area draws the rows of an organization's lists of members, teams and invitations. */
import type { IconName } from '../../shared/icons.tsx'
import { Icon } from '../../shared/icons.tsx'
import type { Area } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useAccount } from '../account/context.ts'
import { RoleBadges } from './roles.tsx'
import { RowMenu } from './row-menu.tsx'

const Person: Area['Person'] = ({ userId, name }) => {
  const { t } = useI18n()
  return (
    <>
      {name}
      {useAccount().user.id === userId ? <Badge tone="new">{t('members.you')}</Badge> : null}
    </>
  )
}

export const accountArea: Area = { Actions: RowMenu, Person, RoleBadges }

export const Tile = ({ icon }: { readonly icon: IconName }) => (
  <span className="row-tile">
    <Icon name={icon} />
  </span>
)
