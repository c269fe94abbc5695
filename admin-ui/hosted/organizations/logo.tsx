import { organizationLogoContract } from '../../../src/organizations/logo/contract.ts'
import { isServedHere } from '../../shared/served.ts'
import { useI18n } from '../../shared/text.tsx'
import { AppTile } from '../../shared/ui.tsx'
import { ImageChoice } from '../account/image-choice.tsx'
import { useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useOrganization } from './context.ts'

/** A panel with the logo of the organization and buttons to change it. */
export const LogoPanel = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization, reload } = useOrganization()
  const outcome = useOutcome()
  const query = { organizationId: organization.id }
  const upload = async (body: File) => {
    await api.of(organizationLogoContract).setOrganizationLogo({ query, body })
    await reload()
  }
  const remove = async () => {
    await api.of(organizationLogoContract).removeOrganizationLogo({ query })
    await reload()
  }
  return (
    <Panel id="logo" title={t('org.logo')}>
      <ImageChoice
        outcome={outcome}
        image={
          isServedHere(organization.logo) ? (
            <img className="picture-logo" src={organization.logo} width={96} height={96} alt={t('org.logo')} />
          ) : (
            <AppTile name={organization.name} size="large" />
          )
        }
        words={{
          ...{ hint: t('org.logoHint'), choose: t('org.logoChoose') },
          ...{ saved: t('org.logoSaved'), removed: t('org.logoRemoved') },
        }}
        onUpload={upload}
        onRemove={isServedHere(organization.logo) ? remove : undefined}
      />
    </Panel>
  )
}
