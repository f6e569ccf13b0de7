/* SPDX-License-Identifier: MIT */
/* PCI devices by configuration mechanism 1: two I/O ports, which every PC with PCI has. */
#ifndef KERNEL_PCI_H
#define KERNEL_PCI_H

#include <stddef.h>

#include "boot/uart.h"

struct pci_uart {
    uint8_t bus, device, function;
    struct uart uart;
    enum uart_error error; /* UART_OK: it can be used */
};

/*
 * Finds up to `most` serial ports (class 07h, subclass 00h) on bus 0 and behind its bridges, and enables those that
 * have an address. Returns the number of ports found; 0 without PCI.
 *
 * PCI Local Bus Specification 3.0, 3.2.2.3 "Software Generation of Configuration Transactions", 6.1, 6.2.5.1 "Address
 * Maps", and appendix D, "Class Codes"; PCI-to-PCI Bridge Architecture Specification 1.2, 3.2.
 */
size_t pci_find_uarts(struct pci_uart *found, size_t most);

#endif
