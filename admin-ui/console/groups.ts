import type { ComponentType } from 'react'
import type { InstancePermission } from '../../src/access/permissions.ts'
import type { ConsoleCatalogue, Key } from '../shared/i18n.ts'
import type { IconName } from '../shared/icons.tsx'
import { newApplicationPath } from './applications/paths.ts'
import { billingGroup } from './billing/group.ts'
import { newOrganizationPath } from './organizations/paths.ts'
import { newUserPath } from './people/paths.ts'
import { settingsHistoryPath } from './settings/paths.ts'

/** A screen in the navigation. */
export interface Screen {
  readonly path: string
  readonly label: Extract<Key, `console.screen.${string}`>
  /**
   * The permission that the screen needs. A person without it does not see the screen in the navigation; at the screen's address the
   * person sees which roles have the permission.
   */
  readonly permission: InstancePermission
  readonly load: () => Promise<ComponentType>
  /** Catalogues of texts that the screen needs in addition to its group's catalogue. */
  readonly texts?: readonly ConsoleCatalogue[]
  /** Further pages below the screen's address, such as the page of one row. `path` is a pattern of react-router. */
  readonly details?: readonly { readonly path: string; readonly load: () => Promise<ComponentType> }[]
}

export interface Group {
  readonly id: string
  readonly label: Extract<Key, `console.group.${string}`>
  readonly icon: IconName
  /** The catalogue with the group's texts. It is loaded when one of the group's screens is first opened. */
  readonly texts?: ConsoleCatalogue
  /** The screens in the order of the navigation. A group without a visible screen is hidden. */
  readonly screens: readonly Screen[]
}

/** The nine groups in the order of the navigation. A screen has the same path as the resource in the API, such as `/admin/users`. */
export const groups: readonly Group[] = [
  {
    id: 'overview',
    label: 'console.group.overview',
    icon: 'home',
    texts: 'consoleOverview',
    screens: [
      {
        path: '/admin/overview',
        label: 'console.screen.overview',
        permission: 'health:read',
        texts: ['consoleFindings'],
        load: () => import('./overview/overview.tsx').then(({ OverviewScreen }) => OverviewScreen),
      },
    ],
  },
  {
    id: 'people',
    label: 'console.group.people',
    icon: 'person',
    texts: 'consolePeople',
    screens: [
      {
        path: '/admin/users',
        label: 'console.screen.users',
        permission: 'users:read',
        load: () => import('./people/users.tsx').then(({ UsersScreen }) => UsersScreen),
        details: [
          { path: newUserPath, load: () => import('./people/new.tsx').then(({ NewUserScreen }) => NewUserScreen) },
          { path: '/admin/users/:id', load: () => import('./people/user.tsx').then(({ UserScreen }) => UserScreen) },
        ],
      },
      {
        path: '/admin/roles',
        label: 'console.screen.roles',
        permission: 'users:read',
        texts: ['consoleSettings', 'consoleWays'],
        load: () => import('./people/role-list.tsx').then(({ RolesScreen }) => RolesScreen),
      },
      {
        path: '/admin/sessions',
        label: 'console.screen.sessions',
        permission: 'user-sessions:read',
        load: () => import('./people/sessions.tsx').then(({ SessionsScreen }) => SessionsScreen),
      },
      {
        path: '/admin/invitations',
        label: 'console.screen.invitations',
        permission: 'all-organizations:read',
        texts: ['consoleOrganizations'],
        load: () => import('./people/invitations.tsx').then(({ InvitationsScreen }) => InvitationsScreen),
      },
    ],
  },
  {
    id: 'organizations',
    label: 'console.group.organizations',
    icon: 'building',
    texts: 'consoleOrganizations',
    screens: [
      {
        path: '/admin/organizations',
        label: 'console.screen.organizations',
        permission: 'all-organizations:read',
        load: () => import('./organizations/list.tsx').then(({ OrganizationsScreen }) => OrganizationsScreen),
        details: [
          {
            path: newOrganizationPath,
            load: () => import('./organizations/new.tsx').then(({ NewOrganizationScreen }) => NewOrganizationScreen),
          },
          {
            path: '/admin/organizations/:id',
            load: () => import('./organizations/organization.tsx').then(({ OrganizationScreen }) => OrganizationScreen),
          },
          {
            path: '/admin/organizations/:id/teams/:teamId',
            load: () => import('./organizations/team.tsx').then(({ TeamScreen }) => TeamScreen),
          },
        ],
      },
      {
        path: '/admin/organization-roles',
        label: 'console.screen.organizationRoles',
        permission: 'all-organizations:read',
        texts: ['consolePeople', 'consoleSettings', 'consoleWays', 'settings'],
        load: () => import('./organizations/matrix.tsx').then(({ OrganizationRolesScreen }) => OrganizationRolesScreen),
      },
    ],
  },
  {
    id: 'applications',
    label: 'console.group.applications',
    icon: 'apps',
    texts: 'consoleApplications',
    screens: [
      {
        path: '/admin/clients',
        label: 'console.screen.applications',
        permission: 'clients:read',
        texts: ['consoleReasons'],
        load: () => import('./applications/list.tsx').then(({ ApplicationsScreen }) => ApplicationsScreen),
        details: [
          {
            path: newApplicationPath,
            load: () => import('./applications/new/screen.tsx').then(({ NewApplicationScreen }) => NewApplicationScreen),
          },
          {
            path: '/admin/clients/:clientId/test-sign-in',
            load: () => import('./applications/test-sign-in.tsx').then(({ TestSignInScreen }) => TestSignInScreen),
          },
          {
            path: '/admin/test-sign-in/callback',
            load: () => import('./applications/test-sign-in.tsx').then(({ TestedSignInScreen }) => TestedSignInScreen),
          },
          {
            path: '/admin/clients/:clientId',
            load: () => import('./applications/application.tsx').then(({ ApplicationScreen }) => ApplicationScreen),
          },
        ],
      },
      {
        path: '/admin/apis',
        label: 'console.screen.apis',
        permission: 'apis:read',
        load: () => import('./applications/apis/list.tsx').then(({ ApisScreen }) => ApisScreen),
        details: [
          { path: '/admin/apis/:apiId', load: () => import('./applications/apis/api.tsx').then(({ ApiScreen }) => ApiScreen) },
        ],
      },
      {
        path: '/admin/initial-access-tokens',
        label: 'console.screen.initialAccessTokens',
        permission: 'clients:read',
        load: () => import('./applications/tokens/screen.tsx').then((screen) => screen.InitialAccessTokensScreen),
      },
    ],
  },
  {
    id: 'ways',
    label: 'console.group.ways',
    icon: 'key',
    texts: 'consoleWays',
    screens: [
      {
        path: '/admin/ways-in',
        label: 'console.screen.methods',
        permission: 'settings:read',
        texts: ['consoleFindings', 'consoleSettings', 'settings'],
        load: () => import('./ways-in/methods.tsx').then(({ MethodsScreen }) => MethodsScreen),
      },
      {
        path: '/admin/providers',
        label: 'console.screen.providers',
        permission: 'providers:read',
        texts: ['consoleSettings', 'settings'],
        load: () => import('./ways-in/providers.tsx').then(({ ProvidersScreen }) => ProvidersScreen),
        details: [
          {
            path: '/admin/providers/:id',
            load: () => import('./ways-in/provider.tsx').then(({ ProviderScreen }) => ProviderScreen),
          },
        ],
      },
      {
        path: '/admin/texts',
        label: 'console.screen.languages',
        permission: 'settings:read',
        load: () => import('./ways-in/languages.tsx').then(({ LanguagesScreen }) => LanguagesScreen),
      },
      {
        path: '/admin/brand',
        label: 'console.screen.brand',
        permission: 'settings:read',
        texts: ['consoleSettings'],
        load: () => import('./ways-in/brand/brand.tsx').then(({ BrandScreen }) => BrandScreen),
      },
    ],
  },
  billingGroup,
  {
    id: 'mail',
    label: 'console.group.mail',
    icon: 'mail',
    texts: 'consoleMail',
    screens: [
      {
        path: '/admin/mails',
        label: 'console.screen.mails',
        permission: 'mails:read',
        load: () => import('./mail/mails.tsx').then(({ MailsScreen }) => MailsScreen),
      },
      {
        path: '/admin/mails/server',
        label: 'console.screen.mailServer',
        permission: 'settings:read',
        texts: ['consoleSettings', 'consoleWays', 'settings'],
        load: () => import('./mail/server.tsx').then(({ MailServerScreen }) => MailServerScreen),
      },
      {
        path: '/admin/mails/templates',
        label: 'console.screen.templates',
        permission: 'mails:read',
        load: () => import('./mail/templates.tsx').then(({ TemplatesScreen }) => TemplatesScreen),
      },
      {
        path: '/admin/tasks',
        label: 'console.screen.tasks',
        permission: 'tasks:read',
        load: () => import('./mail/tasks.tsx').then(({ TasksScreen }) => TasksScreen),
      },
    ],
  },
  {
    id: 'history',
    label: 'console.group.history',
    icon: 'clock',
    texts: 'consoleHistory',
    screens: [
      {
        path: '/admin/events',
        label: 'console.screen.events',
        permission: 'events:read',
        load: () => import('./history/events.tsx').then(({ EventsScreen }) => EventsScreen),
        details: [
          { path: '/admin/events/:id', load: () => import('./history/event.tsx').then(({ EventScreen }) => EventScreen) },
        ],
      },
      {
        path: '/admin/sign-ins/failures',
        label: 'console.screen.failures',
        permission: 'sign-ins:read',
        texts: ['consoleReasons'],
        load: () => import('./history/failures.tsx').then(({ FailuresScreen }) => FailuresScreen),
      },
      {
        path: '/admin/sign-ins/explanation',
        label: 'console.screen.explanation',
        permission: 'sign-ins:read',
        texts: ['consoleReasons'],
        load: () => import('./history/explanation.tsx').then(({ ExplanationScreen }) => ExplanationScreen),
      },
      {
        path: '/admin/event-chain',
        label: 'console.screen.verification',
        permission: 'events:read',
        load: () => import('./history/verification.tsx').then(({ VerificationScreen }) => VerificationScreen),
      },
    ],
  },
  {
    id: 'system',
    label: 'console.group.system',
    icon: 'device',
    texts: 'consoleSystem',
    screens: [
      {
        path: '/admin/health',
        label: 'console.screen.health',
        permission: 'health:read',
        texts: ['consoleFindings'],
        load: () => import('./system/health.tsx').then(({ HealthScreen }) => HealthScreen),
      },
      {
        path: '/admin/signing-keys',
        label: 'console.screen.signingKeys',
        permission: 'signing-keys:read',
        load: () => import('./system/signing-keys.tsx').then(({ SigningKeysScreen }) => SigningKeysScreen),
      },
      {
        path: '/admin/settings',
        label: 'console.screen.settings',
        permission: 'settings:read',
        texts: ['consoleSettings', 'consoleWays', 'settings'],
        load: () => import('./system/settings.tsx').then(({ SettingsScreen }) => SettingsScreen),
        details: [
          {
            path: settingsHistoryPath,
            load: () => import('./settings/history.tsx').then(({ SettingsHistoryScreen }) => SettingsHistoryScreen),
          },
        ],
      },
      {
        path: '/admin/retention',
        label: 'console.screen.retention',
        permission: 'settings:read',
        texts: ['consoleSettings', 'consoleWays', 'settings'],
        load: () => import('./system/retention.tsx').then(({ RetentionScreen }) => RetentionScreen),
      },
      {
        path: '/admin/api-keys',
        label: 'console.screen.apiKeys',
        permission: 'api-keys:read',
        load: () => import('./system/api-keys.tsx').then(({ ApiKeysScreen }) => ApiKeysScreen),
        details: [
          { path: '/admin/api-keys/:id', load: () => import('./system/api-key.tsx').then(({ ApiKeyScreen }) => ApiKeyScreen) },
        ],
      },
      {
        path: '/admin/backups',
        label: 'console.screen.backups',
        permission: 'backups:read',
        texts: ['consoleSettings', 'consoleWays', 'settings'],
        load: () => import('./system/backups.tsx').then(({ BackupsScreen }) => BackupsScreen),
      },
    ],
  },
]

/** The groups with the screens that the person may read. Groups without such a screen are left out. */
export const visibleGroups = (permissions: readonly string[]): readonly Group[] =>
  groups
    .map((group) => ({ ...group, screens: group.screens.filter(({ permission }) => permissions.includes(permission)) }))
    .filter(({ screens }) => screens.length > 0)
