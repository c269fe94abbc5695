import type { Group } from '../groups.ts'

/** The group "billing" of the navigation: customers, entitlements, deliveries and differences. */
export const billingGroup: Group = {
  id: 'billing',
  label: 'console.group.billing',
  icon: 'card',
  texts: 'consoleBilling',
  screens: [
    {
      path: '/admin/billing/customers',
      label: 'console.screen.customers',
      permission: 'customers:read',
      load: () => import('./customers.tsx').then(({ CustomersScreen }) => CustomersScreen),
      details: [
        {
          path: '/admin/billing/customers/:id',
          load: () => import('./customer.tsx').then(({ CustomerScreen }) => CustomerScreen),
        },
      ],
    },
    {
      path: '/admin/billing/rules',
      texts: ['consoleSettings', 'consoleWays'],
      label: 'console.screen.rules',
      permission: 'customers:read',
      load: () => import('./rules.tsx').then(({ RulesScreen }) => RulesScreen),
    },
    {
      path: '/admin/billing/deliveries',
      label: 'console.screen.deliveries',
      permission: 'deliveries:read',
      load: () => import('./deliveries.tsx').then(({ DeliveriesScreen }) => DeliveriesScreen),
      details: [
        {
          path: '/admin/billing/deliveries/:id',
          load: () => import('./delivery.tsx').then(({ DeliveryScreen }) => DeliveryScreen),
        },
      ],
    },
    {
      path: '/admin/billing/drift',
      label: 'console.screen.drift',
      permission: 'customers:read',
      load: () => import('./drift.tsx').then(({ DriftScreen }) => DriftScreen),
    },
    {
      path: '/admin/billing/seats',
      label: 'console.screen.seats',
      permission: 'customers:read',
      load: () => import('./seats.tsx').then(({ SeatsScreen }) => SeatsScreen),
    },
  ],
}
